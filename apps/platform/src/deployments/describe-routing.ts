import type { ConfiguredGroup, ConfiguredRouting } from "@tollgate/contracts/management/routing.ts";
import type { GroupRules } from "@tollgate/domain/routing/route-types.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ServedList } from "./build-served-list.ts";
import type { LiveStates } from "./deployment-source.ts";
import { statusOf } from "./describe-deployments.ts";
import type { GatewayDeployment, GatewayModels } from "./gateway-models.ts";

/** Describes the routing rules of every callable group. */
export function describeRouting(
  { settings, models, list }: ServedList,
  live: LiveStates,
  now: Date,
): ConfiguredRouting {
  const { router } = settings;
  const groups = list.groupNames.map((name): ConfiguredGroup => {
    const members = list.deployments.filter(({ groupName }) => groupName === name);
    return {
      name,
      ...describeRules(list.rulesOf(name, name), settings),
      deployments: members.map((deployment) => describeMember(deployment, models, live, now)),
      fallbacks: [...models.findFallbacks(router, "general", name)],
      contextWindowFallbacks: [...models.findFallbacks(router, "context_window", name)],
      contentPolicyFallbacks: [...models.findFallbacks(router, "content_policy", name)],
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

function describeMember(
  deployment: GatewayDeployment,
  models: GatewayModels,
  live: LiveStates,
  now: Date,
): ConfiguredGroup["deployments"][number] {
  const { id, upstreamModel, weight, order } = deployment;
  const provider = models.providerNameOf(deployment);
  return { id, provider, model: upstreamModel, weight, order, status: statusOf(id, live, now) };
}
