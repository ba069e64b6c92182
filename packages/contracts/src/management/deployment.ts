import { HEALTH_STATES } from "@tollgate/domain/figures/deployment-health.ts";
import Type, { type Static } from "typebox";
import { NullableTime, nullable } from "./fields.ts";
import { ModelPricing } from "./model.ts";
import { CallTiming } from "./performance.ts";

/** `environment`: a development instance found the provider's API key in an environment variable. */
const sourceKinds = ["file", "database", "environment"] as const;
const priceSources = ["catalog", "override", "none"] as const;
/** `cooling`: in cooldown after failures. `unknown`: no gateway responded. */
const deploymentStatuses = ["healthy", "unhealthy", "cooling", "disabled", "unusable", "unknown"] as const;

export const DeploymentStatus = Type.Enum(deploymentStatuses);
export type DeploymentStatus = Static<typeof DeploymentStatus>;

export const HealthStatus = Type.Enum(HEALTH_STATES);

/** Location of a deployment's definition. */
const DeploymentOrigin = Type.Object({
  kind: Type.Enum(sourceKinds),
  file: nullable(Type.String()),
  line: nullable(Type.Integer()),
});

/** A deployment for administrators, without its secrets. */
export const AdminDeployment = Type.Object({
  id: Type.String(),
  group: Type.String(),
  provider: Type.String(),
  /** The provider's model ID. */
  model: Type.String(),
  source: DeploymentOrigin,
  apiBase: nullable(Type.String()),
  credential: Type.Unsafe<"set" | "not set" | "not needed">({
    type: "string",
    enum: ["set", "not set", "not needed"],
  }),
  weight: nullable(Type.Number()),
  order: nullable(Type.Integer()),
  rpm: nullable(Type.Integer()),
  tpm: nullable(Type.Integer()),
  mode: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  priced: Type.Boolean(),
  priceSource: Type.Enum(priceSources),
  /** Null if the deployment has no price, and for patterns, because each matching model has its own price. */
  pricing: nullable(ModelPricing),
  /** True if the price comes from an outdated list. */
  stale: Type.Boolean(),
  status: DeploymentStatus,
  /** Follows from the status and from the last hour's requests, as on the health page. */
  health: HealthStatus,
  cooldownUntil: NullableTime,
  editable: Type.Boolean(),
  /** Catalog model ID for updateModel; null for deployments from `tollgate.yaml`. */
  modelId: nullable(Type.String()),
  params: Type.Record(Type.String(), Type.Unknown()),
});
export type AdminDeployment = Static<typeof AdminDeployment>;

export const AdminDeploymentList = Type.Object({
  deployments: Type.Array(AdminDeployment),
  warnings: Type.Object({ unpriced: Type.Integer(), stale: Type.Integer(), overridden: Type.Integer() }),
});
export type AdminDeploymentList = Static<typeof AdminDeploymentList>;

/** Query for the models offered when adding a deployment. */
export const KnownModelsQuery = Type.Object({
  kind: Type.Optional(
    Type.String({ minLength: 1, maxLength: 60, description: "The provider kind whose models to list" }),
  ),
});

export const KnownModels = Type.Object({
  kinds: Type.Array(Type.Object({ name: Type.String(), needsBaseUrl: Type.Boolean() })),
  /** Date on which the prices matched the providers' prices. */
  pricesAsOf: Type.String(),
  models: Type.Array(
    Type.Object({
      /** The provider's model ID. */
      model: Type.String(),
      mode: Type.String(),
      contextWindow: nullable(Type.Integer()),
      deprecatedOn: nullable(Type.String()),
      pricing: nullable(ModelPricing),
    }),
    { description: "Models of the requested kind; empty if no kind is given" },
  ),
});
export type KnownModels = Static<typeof KnownModels>;

/** Result of one small test request to a deployment. */
export const DeploymentTest = Type.Object({
  ok: Type.Boolean(),
  /** HTTP status from the provider; null if there was no response. */
  status: nullable(Type.Integer()),
  message: Type.String(),
  latencyMs: Type.Integer(),
  /** Time until the response began; null if there was no response. */
  firstTokenMs: nullable(Type.Integer()),
  timing: nullable(CallTiming),
});
export type DeploymentTest = Static<typeof DeploymentTest>;

export const CopyDeploymentBody = Type.Object({
  /** Provider managed in the console; optional if exactly one provider of the same kind exists. */
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  /** Public model name. The group's own name can't be used while `tollgate.yaml` defines the group. */
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: "^[A-Za-z0-9][A-Za-z0-9._:@+/-]*$" })),
});
export type CopyDeploymentBody = Static<typeof CopyDeploymentBody>;
