import Type, { type Static } from "typebox";
import { DeploymentStatus, HealthStatus } from "./deployment.ts";
import { nullable } from "./fields.ts";

const Names = Type.Array(Type.String());

const rules = {
  strategy: Type.String(),
  retries: Type.Integer(),
  cooldownSeconds: Type.Number(),
  timeoutSeconds: Type.Number(),
};

const RoutedDeployment = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  weight: nullable(Type.Number()),
  order: nullable(Type.Integer()),
  status: DeploymentStatus,
  health: HealthStatus,
});

const RoutedGroup = Type.Object({
  name: Type.String(),
  ...rules,
  deployments: Type.Array(RoutedDeployment),
  fallbacks: Names,
  contextWindowFallbacks: Names,
  contentPolicyFallbacks: Names,
});

/** Rules that select the deployment for a call. */
export const RoutingRules = Type.Object({
  strategy: Type.String(),
  groups: Type.Array(RoutedGroup),
  aliases: Type.Array(Type.Object({ name: Type.String(), model: Type.String(), hidden: Type.Boolean() })),
  defaults: Type.Object({
    ...rules,
    fallbacks: Names,
    maxFallbacks: Type.Integer(),
    checksBeforeCall: Type.Boolean(),
    filtersTags: Type.Boolean(),
  }),
});
type RoutingRules = Static<typeof RoutingRules>;

/** Routing rules without the health of deployments, which needs the database. */
export interface ConfiguredRouting extends Omit<RoutingRules, "groups"> {
  readonly groups: ConfiguredGroup[];
}

export interface ConfiguredGroup extends Omit<Static<typeof RoutedGroup>, "deployments"> {
  readonly deployments: Omit<Static<typeof RoutedDeployment>, "health">[];
}

export const SimulateRouteBody = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 600 }),
  inputTokens: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
  stream: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 })),
  regions: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 20 })),
  requirements: Type.Optional(Type.Object({ responseSchema: Type.Optional(Type.Boolean()) })),
});
export type SimulateRouteBody = Static<typeof SimulateRouteBody>;

const stepKinds = ["resolve", "filter", "choose", "retry", "fallback", "refuse"] as const;

export const SimulatedRoute = Type.Object({
  steps: Type.Array(
    Type.Object({
      kind: Type.Enum(stepKinds),
      text: Type.String(),
      group: nullable(Type.String()),
      deploymentId: nullable(Type.String()),
      /** Fraction of calls that reach this step, from 0 to 1. */
      share: nullable(Type.Number()),
    }),
  ),
  /** Targets for the first attempt. Empty if the call is refused. */
  chosen: Type.Array(Type.Object({ deploymentId: Type.String(), probability: Type.Number() })),
});
export type SimulatedRoute = Static<typeof SimulatedRoute>;
