import Type, { type Static } from "typebox";
import { Nullable } from "../nullable.ts";

export const open = { additionalProperties: true };
export const AnyObject = Type.Object({}, open);
/** An object whose members the upstream checks. Code that reads a member must check it first. */
export const OpenObject = Type.Unsafe<Readonly<Record<string, unknown>>>(AnyObject);
/**
 * Maximum length of a list whose length is left to the upstream. It bounds the work for one request. A body has at most
 * 10,000 object keys in total, so a list of objects cannot be longer.
 */
export const MAX_LIST_ITEMS = 10_000;
/** Stop sequences. The upstream limits their number. */
export const Stop = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: MAX_LIST_ITEMS })]);
export const LogitBias = Type.Object({}, { additionalProperties: Type.Number() });
const OtherModel = Type.String({ maxLength: 512 });
/** Maximum number of fallbacks in a request. Each one is looked up, and at most five are called. */
const MAX_FALLBACKS = 64;
const FallbackList = Type.Object({}, { additionalProperties: true, maxProperties: 64 });
/** Names of guardrails, tags, and fields. Each can cause a lookup or a check, so their number is limited. */
const Names = Type.Array(Type.String({ maxLength: 256 }), { maxItems: 64 });

/** Response cache options for one call. */
const CacheControls = Type.Object(
  {
    "no-cache": Nullable(Type.Boolean({ description: "Do not read from the cache." })),
    "no-store": Nullable(Type.Boolean({ description: "Do not store the response in the cache." })),
    "use-cache": Nullable(Type.Boolean({ description: "Use the cache even if it is off by default." })),
    ttl: Nullable(
      Type.Number({ minimum: 0, maximum: 31_536_000, description: "How long to cache the response, in seconds." }),
    ),
    "s-maxage": Nullable(
      Type.Number({ minimum: 0, maximum: 31_536_000, description: "Maximum age of a cached response, in seconds." }),
    ),
    namespace: Nullable(
      Type.String({ maxLength: 256, description: "Cache namespace. Responses are not shared between namespaces." }),
    ),
  },
  open,
);

/** Fields that the gateway itself reads in all operations. They are never sent upstream. */
export const gatewayFields = {
  metadata: Nullable(AnyObject),
  guardrails: Nullable(Names),
  caching: Nullable(Type.Boolean()),
  num_retries: Nullable(Type.Integer()),
  context_window_fallback_dict: Nullable(Type.Object({}, { additionalProperties: OtherModel })),
  fallbacks: Nullable(
    Type.Array(Type.Union([OtherModel, Type.Object({ model: OtherModel }, open)]), { maxItems: MAX_FALLBACKS }),
  ),
  timeout: Nullable(Type.Number({ minimum: 0, maximum: 3600 })),
  stream_timeout: Nullable(Type.Number({ minimum: 0, maximum: 3600 })),
  drop_params: Nullable(Type.Boolean()),
  additional_drop_params: Nullable(Names),
  allowed_openai_params: Nullable(Names),
  cache: Nullable(CacheControls),
  tags: Nullable(Names),
  allowed_model_region: Nullable(Type.Union([Type.String(), Names])),
  disable_fallbacks: Nullable(Type.Boolean()),
  content_policy_fallbacks: Nullable(Type.Array(FallbackList, { maxItems: 64 })),
  context_window_fallbacks: Nullable(Type.Array(FallbackList, { maxItems: 64 })),
  extra_headers: Nullable(Type.Object({}, { additionalProperties: Type.String(), maxProperties: 32 })),
  extra_body: Nullable(AnyObject),
  mock_response: Nullable(Type.Unknown()),
  api_key: Nullable(
    Type.String({ description: "Your own API key for the provider, if the model's operator allows it." }),
  ),
} as const;

/** Fields from similar gateways. They are type-checked and otherwise ignored. */
export const ignoredFields = {
  api_version: Nullable(Type.String()),
  api_type: Nullable(Type.String()),
  custom_llm_provider: Nullable(Type.Union([Type.String(), AnyObject])),
} as const;

export const ModelName = Type.String({ minLength: 1, maxLength: 512 });
/** Used if the path or the settings already specify the model. `model` then has no effect. */
export const ModelNameOrNone = Nullable(Type.String({ maxLength: 512 }));

const sharedRequest = Type.Object(
  {
    model: ModelNameOrNone,
    user: Nullable(Type.String()),
    stream: Nullable(Type.Boolean()),
    n: Nullable(Type.Integer()),
    store: Nullable(Type.Boolean()),
    ...gatewayFields,
    ...ignoredFields,
  },
  open,
);

/** Fields common to all inference requests. */
export type InferenceRequest = Static<typeof sharedRequest>;
