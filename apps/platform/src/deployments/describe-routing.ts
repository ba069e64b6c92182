import type { RoutedGroup, RoutingRules } from "@tollgate/contracts/management/routing.ts";
import type { GroupRules } from "@tollgate/domain/routing/route-types.ts";
import type { Deployment } from "@tollgate/gateway/model-list/deployment.ts";
import { providerNameOf } from "@tollgate/gateway/model-list/describe-model.ts";
import { findFallbacks } from "@tollgate/gateway/model-list/find-fallbacks.ts";
import type { LiveStates } from "@tollgate/platform/deployments/deployment-source.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ServedList } from "./build-served-list.ts";
import { statusOf } from "./describe-deployments.ts";

/** Describes the routing rules of every callable group. */
export function describeRouting({ settings, list }: ServedList, live: LiveStates, now: Date): RoutingRules {
  const { router } = settings;
  const groups = list.groupNames.map((name): RoutedGroup => {
    const members = list.deployments.filter(({ groupName }) => groupName === name);
    return {
      name,
      ...describeRules(list.rulesOf(name, name), settings),
      deployments: members.map((deployment) => describeMember(deployment, live, now)),
      fallbacks: [...findFallbacks(router, "general", name)],
      contextWindowFallbacks: [...findFallbacks(router, "context_window", name)],
      contentPolicyFallbacks: [...findFallbacks(router, "content_policy", name)],
    };
  });
  return {
    strategy: router.routingStrategy,
    groups,
    aliases: Object.entries(router.modelGroupAlias).map(([name, { model, hidden }]) => ({ name, model, hidden })),
    defaults: {
      strategy: router.routingStrategy,
      retries: router.numRetries,
      cooldownSeconds: router.cooldownSeconds,
      timeoutSeconds: timeoutOf(settings),
      fallbacks: [...router.defaultFallbacks],
      maxFallbacks: router.maxFallbacks,
      checksBeforeCall: router.enablePreCallChecks,
      filtersTags: router.enableTagFiltering,
    },
  };
}

function describeRules({ strategy, router }: GroupRules, settings: Settings) {
  return {
    strategy,
    retries: router.numRetries,
    cooldownSeconds: router.cooldownMs / 1_000,
    timeoutSeconds: timeoutOf(settings),
  };
}

function timeoutOf({ router, gateway }: Settings): number {
  return router.timeoutSeconds ?? gateway.requestTimeoutSeconds;
}

function describeMember(deployment: Deployment, live: LiveStates, now: Date): RoutedGroup["deployments"][number] {
  const { id, upstreamModel, weight, order } = deployment;
  const provider = providerNameOf(deployment);
  return { id, provider, model: upstreamModel, weight, order, status: statusOf(id, live, now) };
}
