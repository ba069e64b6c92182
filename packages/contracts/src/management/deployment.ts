import Type, { type Static } from "typebox";
import { NullableTime, nullable } from "./fields.ts";
import { ModelPricing } from "./model.ts";
import { CallTiming } from "./performance.ts";

/** `environment`: a development instance found a key of the provider there. */
const sourceKinds = ["file", "database", "environment"] as const;
const priceSources = ["catalogue", "override", "none"] as const;
/** `cooling`: rests after failures. `unknown`: no gateway could be asked. */
const deploymentStatuses = ["healthy", "unhealthy", "cooling", "disabled", "unusable", "unknown"] as const;

export const DeploymentStatus = Type.Enum(deploymentStatuses);
export type DeploymentStatus = Static<typeof DeploymentStatus>;

/** Where a deployment is written. */
export const DeploymentOrigin = Type.Object({
  kind: Type.Enum(sourceKinds),
  file: nullable(Type.String()),
  line: nullable(Type.Integer()),
});

/** One way to serve a model, for administrators: without its secrets. */
export const AdminDeployment = Type.Object({
  id: Type.String(),
  group: Type.String(),
  provider: Type.String(),
  /** As the provider calls it. */
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
  /** Null where it has none, and for patterns, whose models each have their own. */
  pricing: nullable(ModelPricing),
  /** Its price comes from a list that has grown old. */
  stale: Type.Boolean(),
  status: DeploymentStatus,
  cooldownUntil: NullableTime,
  editable: Type.Boolean(),
  /** Of the catalogue's model, which updateModel takes; null for those of settings files. */
  modelId: nullable(Type.String()),
  params: Type.Record(Type.String(), Type.Unknown()),
});
export type AdminDeployment = Static<typeof AdminDeployment>;

export const AdminDeploymentList = Type.Object({
  deployments: Type.Array(AdminDeployment),
  warnings: Type.Object({ unpriced: Type.Integer(), stale: Type.Integer(), overridden: Type.Integer() }),
});
export type AdminDeploymentList = Static<typeof AdminDeploymentList>;

/** What a person chooses from who adds a deployment. */
export const KnownModelsQuery = Type.Object({
  kind: Type.Optional(
    Type.String({ minLength: 1, maxLength: 60, description: "The provider kind whose models to list" }),
  ),
});

export const KnownModels = Type.Object({
  kinds: Type.Array(Type.Object({ name: Type.String(), needsBaseUrl: Type.Boolean() })),
  /** The day the prices were those of the providers. */
  pricesAsOf: Type.String(),
  models: Type.Array(
    Type.Object({
      /** As the provider calls it. */
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

/** What one small call to a deployment came to. */
export const DeploymentTest = Type.Object({
  ok: Type.Boolean(),
  /** What the provider answered with; null when nothing came. */
  status: nullable(Type.Integer()),
  message: Type.String(),
  latencyMs: Type.Integer(),
  /** Until the answer began; null when none did. */
  firstTokenMs: nullable(Type.Integer()),
  timing: nullable(CallTiming),
});
export type DeploymentTest = Static<typeof DeploymentTest>;

export const CopyDeploymentBody = Type.Object({
  /** Of the database; may be left out where exactly one of the same kind exists. */
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  /** What callers will name. The group's own name stays with the settings file while that has it. */
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: "^[A-Za-z0-9][A-Za-z0-9._:@+/-]*$" })),
});
export type CopyDeploymentBody = Static<typeof CopyDeploymentBody>;
