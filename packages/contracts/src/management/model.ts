import Type, { type Static } from "typebox";
import { Name, NullableTime, nullable, Search, Time } from "./fields.ts";
import { pageFields, repeatable, sortBy } from "./lists.ts";
import { Amount, AmountInput, NullableAmount, Usd } from "./money.ts";

const modelTypes = [
  "chat",
  "completion",
  "embedding",
  "image",
  "moderation",
  "speech",
  "transcription",
  "rerank",
] as const;
const modelStatuses = ["active", "deprecated", "disabled"] as const;
const modelCapabilities = [
  "streaming",
  "tools",
  "parallel_tools",
  "json_schema",
  "vision",
  "web_search",
  "reasoning",
] as const;
const modalities = ["text", "image", "audio", "video", "file"] as const;

const ModelType = Type.Enum(modelTypes);
const ModelStatus = Type.Enum(modelStatuses);

export const ModelPricing = Type.Object({
  unit: Type.Literal("nano-USD"),
  inputPerMillionTokens: NullableAmount,
  outputPerMillionTokens: NullableAmount,
  cachedInputPerMillionTokens: NullableAmount,
  perImage: NullableAmount,
  perAudioSecond: NullableAmount,
  perMillionCharacters: NullableAmount,
  perRequest: Amount,
  usd: Usd,
});

const publicFields = {
  /** Public model name. */
  id: Type.String(),
  name: Type.String(),
  provider: Type.String(),
  type: ModelType,
  description: Type.String(),
  contextWindow: nullable(Type.Integer()),
  maxOutputTokens: nullable(Type.Integer()),
  inputModalities: Type.Array(Type.String()),
  outputModalities: Type.Array(Type.String()),
  capabilities: Type.Array(Type.String()),
  pricing: ModelPricing,
  status: ModelStatus,
  deprecatedAt: NullableTime,
  /** Null for models from `tollgate.yaml`. */
  createdAt: NullableTime,
};

/** A model as shown to everyone, without its deployments and provider model IDs. */
export const PublicModel = Type.Object(publicFields);
export type PublicModel = Static<typeof PublicModel>;

const RuleAmount = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000_000 });
const RuleName = Type.String({ minLength: 1, maxLength: 50 });

/** Prices in nano-USD. A price that is not set is the model's. */
export const ruleAmounts = {
  inputPerMillionTokens: Type.Optional(RuleAmount),
  outputPerMillionTokens: Type.Optional(RuleAmount),
  cachedInputPerMillionTokens: Type.Optional(RuleAmount),
  cacheWritePerMillionTokens: Type.Optional(RuleAmount),
  oneHourCacheWritePerMillionTokens: Type.Optional(RuleAmount),
  reasoningPerMillionTokens: Type.Optional(RuleAmount),
  audioInputPerMillionTokens: Type.Optional(RuleAmount),
  audioOutputPerMillionTokens: Type.Optional(RuleAmount),
  perMillionCharacters: Type.Optional(RuleAmount),
  perAudioSecond: Type.Optional(RuleAmount),
  perImage: Type.Optional(RuleAmount),
  perSearch: Type.Optional(RuleAmount),
  perRequest: Type.Optional(RuleAmount),
  perWebSearch: Type.Optional(RuleAmount),
  perFileSearch: Type.Optional(RuleAmount),
  perCodeSession: Type.Optional(RuleAmount),
  perToolCall: Type.Optional(RuleAmount),
};

/** Prices in nano-USD that apply if the provider serves a request under all of these conditions. */
export const PriceRule = Type.Object(
  {
    serviceTier: Type.Optional(RuleName),
    searchContext: Type.Optional(Type.Enum(["low", "medium", "high", "preview"])),
    region: Type.Optional(RuleName),
    aboveInputTokens: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
    hours: Type.Optional(
      Type.Object({
        name: RuleName,
        timeZone: Type.Optional(Type.String({ maxLength: 100 })),
        days: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { maxItems: 7 })),
        from: Type.String({ maxLength: 5 }),
        to: Type.String({ maxLength: 5 }),
      }),
    ),
    ...ruleAmounts,
  },
  { additionalProperties: false },
);

/** Request parameters of a model's deployment. */
export const ModelParams = Type.Object({
  rpm: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  tpm: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })),
  timeoutSeconds: Type.Optional(Type.Number({ minimum: 1, maximum: 3_600 })),
  streamTimeoutSeconds: Type.Optional(Type.Number({ minimum: 1, maximum: 3_600 })),
  dropParams: Type.Optional(Type.Boolean()),
  additionalDropParams: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 })),
  allowedParams: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 50,
      description: "Request fields that callers can send in addition to those on the provider's list.",
    }),
  ),
  allowedHeaders: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 50,
      description: "Header names that callers can use in extra_headers in addition to those on the provider's list.",
    }),
  ),
  unknownParams: Type.Optional(
    Type.Union([Type.Literal("reject"), Type.Literal("drop"), Type.Literal("forward")], {
      description:
        "How to handle request fields that are not on the provider's list. `forward` passes them to the provider.",
    }),
  ),
  priceRules: Type.Optional(
    Type.Array(PriceRule, {
      maxItems: 30,
      description:
        "Prices in nano-USD that apply under conditions, such as a service tier or hours. A later rule takes precedence.",
    }),
  ),
});
export type ModelParams = Static<typeof ModelParams>;

/** A model for administrators. */
export const AdminModel = Type.Object({
  ...publicFields,
  inferenceModelId: Type.String(),
  params: ModelParams,
  createdAt: Time,
  updatedAt: Time,
});
export type AdminModel = Static<typeof AdminModel>;

export const ModelQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  type: Type.Optional(repeatable(ModelType)),
  provider: Type.Optional(repeatable(Type.String({ maxLength: 100 }))),
  status: Type.Unsafe<(typeof modelStatuses)[number][]>({
    ...repeatable(ModelStatus),
    default: ["active", "deprecated"],
  }),
  sort: sortBy(["name", "createdAt", "inputPrice"], "-createdAt"),
});
export type ModelQuery = Static<typeof ModelQuery>;

/** Prices in a request. Omitted prices don't change. Null removes a price. */
const PricingInput = Type.Object({
  inputPerMillionTokens: Type.Optional(nullable(AmountInput)),
  outputPerMillionTokens: Type.Optional(nullable(AmountInput)),
  cachedInputPerMillionTokens: Type.Optional(nullable(AmountInput)),
  perImage: Type.Optional(nullable(AmountInput)),
  perAudioSecond: Type.Optional(nullable(AmountInput)),
  perMillionCharacters: Type.Optional(nullable(AmountInput)),
  perRequest: Type.Optional(nullable(AmountInput)),
});
export type PricingInput = Static<typeof PricingInput>;

/** Model names are used in paths, lists, and settings, where asterisks, spaces, and commas have a special meaning. */
const ModelId = Type.String({ minLength: 1, maxLength: 200, pattern: "^[A-Za-z0-9][A-Za-z0-9._:@+/-]*$" });
const InferenceModelId = Type.String({ minLength: 1, maxLength: 200, pattern: "^[\\x21-\\x29\\x2b-\\x7e]+$" });
const Tokens = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

const changeable = {
  name: Type.Optional(Name),
  type: Type.Optional(ModelType),
  description: Type.Optional(Type.String({ maxLength: 2_000 })),
  contextWindow: Type.Optional(nullable(Tokens)),
  maxOutputTokens: Type.Optional(nullable(Tokens)),
  capabilities: Type.Optional(Type.Array(Type.Enum(modelCapabilities), { maxItems: 20, uniqueItems: true })),
  inputModalities: Type.Optional(Type.Array(Type.Enum(modalities), { minItems: 1, maxItems: 5, uniqueItems: true })),
  outputModalities: Type.Optional(Type.Array(Type.Enum(modalities), { minItems: 1, maxItems: 5, uniqueItems: true })),
  pricing: Type.Optional(PricingInput),
  params: Type.Optional(ModelParams),
};

export const CreateModelBody = Type.Object({
  /** Provider ID or slug. */
  provider: Type.String({ minLength: 1, maxLength: 100 }),
  inferenceModelId: InferenceModelId,
  id: Type.Optional(ModelId),
  ...changeable,
});
export type CreateModelBody = Static<typeof CreateModelBody>;

export const UpdateModelBody = Type.Object({
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  inferenceModelId: Type.Optional(InferenceModelId),
  status: Type.Optional(ModelStatus),
  ...changeable,
});
export type UpdateModelBody = Static<typeof UpdateModelBody>;
