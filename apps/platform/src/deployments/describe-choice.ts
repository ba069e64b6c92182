import { levelOf, type RouteRefusal } from "@tollgate/domain/routing/choose-target.ts";
import type { RouteGroup, RoutingOptions } from "@tollgate/domain/routing/route-types.ts";
import type { GatewayDeployment, GatewayModels } from "./gateway-models.ts";

const SHORT_ID = 8;

/** Returns a deployment's name for use in a sentence. */
export function nameOf(
  deployment: GatewayDeployment,
  { providerNameOf }: Pick<GatewayModels, "providerNameOf">,
): string {
  const id = deployment.id.length > SHORT_ID * 4 ? deployment.id.slice(0, SHORT_ID) : deployment.id;
  return `${providerNameOf(deployment)}/${deployment.upstreamModel} (${id})`;
}

/** Explains why a deployment is excluded from the first attempt. Names the first rule that excludes it. */
export function describeExclusion(
  name: string,
  target: GatewayDeployment,
  group: RouteGroup<GatewayDeployment>,
  options: RoutingOptions,
  now: Date,
): string {
  return `${name} is excluded: ${reasonOf(target, group, options, now)}.`;
}

function reasonOf(
  target: GatewayDeployment,
  { targets, rules }: RouteGroup<GatewayDeployment>,
  options: RoutingOptions,
  now: Date,
): string {
  const { router } = rules;
  const { state, maxInputTokens, region } = target;
  if (state.isCooling(now.getTime())) return `it is in cooldown until ${new Date(state.cooledUntilMs).toISOString()}`;
  if (router.usesHealthChecks && state.isUnhealthy) return "it failed its last health check";
  if (options.regions !== null && (region === null || !options.regions.includes(region))) {
    return region === null ? "it has no region" : `it is in ${region}`;
  }
  if (router.checksBeforeCall && maxInputTokens !== null && maxInputTokens < options.inputTokens) {
    return `its context window is ${maxInputTokens} tokens`;
  }
  if (router.checksBeforeCall && options.wantsResponseSchema && !target.supportsResponseSchema) {
    return "it does not support response schemas";
  }
  if (router.filtersTags && options.tags.length > 0 && !options.tags.some((tag) => target.tags.includes(tag))) {
    return "its tags do not match";
  }
  if (targets.some((other) => levelOf(other) < levelOf(target)))
    return "a deployment with a lower order takes precedence";
  if (rules.strategy === "simple-shuffle") return "its weight is 0";
  return `${rules.strategy} prefers another deployment`;
}

const refusals: Readonly<Record<RouteRefusal["reason"], string>> = {
  no_targets: "it has no deployment",
  cooling: "every deployment is in cooldown",
  busy: "every deployment is at its limit",
  tags: "no deployment has these tags",
  region: "no deployment is in these regions",
  unsupported: "no deployment supports what it needs",
  context_window: "the prompt exceeds the context window of every deployment",
  pre_call: "no deployment passes the pre-call checks",
};

/** Explains why an entire group can't serve the request. */
export function describeRefusal({ reason }: RouteRefusal, group: RouteGroup<GatewayDeployment>): string {
  return `'${group.name}' cannot serve the request: ${refusals[reason]}.`;
}
