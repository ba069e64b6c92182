import Type, { type Static } from "typebox";
import {
  AnyObject,
  gatewayFields,
  ignoredFields,
  ModelName,
  ModelNameOrNone,
  open,
} from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const MAX_ITEMS = 2048;

/** A token ID from the model's vocabulary. */
const TokenId = Type.Integer({ minimum: 0 });

/** Parameters that a model may or may not support. */
const embeddingParamFields = {
  encoding_format: Nullable(Type.Union([Type.Literal("float"), Type.Literal("base64")])),
  dimensions: Nullable(Type.Integer({ minimum: 1 })),
  user: Nullable(Type.String()),
} as const;

/** Names of the parameters that a model may or may not support. */
export const embeddingParams: ReadonlySet<string> = new Set(Object.keys(embeddingParamFields));

const embeddingFields = {
  /** A missing input passes the schema, because null is the default, but the call is still rejected. */
  input: Nullable(
    Type.Union([
      Type.String(),
      Type.Array(Type.String(), { maxItems: MAX_ITEMS }),
      Type.Array(TokenId),
      Type.Array(Type.Array(TokenId), { maxItems: MAX_ITEMS }),
    ]),
  ),
  ...embeddingParamFields,
  ...gatewayFields,
  ...ignoredFields,
  /** In seconds. The gateway waits for at most an hour. */
  timeout: Nullable(Type.Integer({ minimum: 1 })),
  /** Client-supplied call ID. */
  gw_call_id: Nullable(Type.String()),
  // The fields below are listed for type checking. Only null is accepted.
  api_base: Nullable(Type.String()),
  gw_logging_obj: Nullable(AnyObject),
  logger_fn: Nullable(Type.String()),
};

/** Request body for embeddings. Unknown fields are allowed. The gateway's settings determine how they are handled. */
export const EmbeddingRequest = Type.Object({ model: ModelName, ...embeddingFields }, open);

/** Request body if the path already specifies the model. `model` then has no effect. */
export const EmbeddingRequestForModel = Type.Object({ model: ModelNameOrNone, ...embeddingFields }, open);

export type EmbeddingRequest = Static<typeof EmbeddingRequestForModel>;
