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

/** A token of a model's own vocabulary. */
const TokenId = Type.Integer({ minimum: 0 });

/** What a model may or may not support. */
const embeddingParamFields = {
  encoding_format: Nullable(Type.Union([Type.Literal("float"), Type.Literal("base64")])),
  dimensions: Nullable(Type.Integer({ minimum: 1 })),
  user: Nullable(Type.String()),
} as const;

/** Their names. */
export const embeddingParams: ReadonlySet<string> = new Set(Object.keys(embeddingParamFields));

const embeddingFields = {
  /** Nothing to embed passes the schema, because that is its default; the call is refused all the same. */
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
  timeout: Nullable(Type.Integer({ minimum: 1, maximum: 600 })),
  /** A label of the caller's for the call. */
  gw_call_id: Nullable(Type.String()),
  // Known, so that their types are checked; nothing but null is taken.
  api_base: Nullable(Type.String()),
  api_key: Nullable(Type.String()),
  gw_logging_obj: Nullable(AnyObject),
  logger_fn: Nullable(Type.String()),
};

/** The body of an embedding call. Unknown fields are allowed here; the gateway's settings decide what becomes of them. */
export const EmbeddingRequest = Type.Object({ model: ModelName, ...embeddingFields }, open);

/** The same where the path already names the model: what the body says of it has no effect. */
export const EmbeddingRequestForModel = Type.Object({ model: ModelNameOrNone, ...embeddingFields }, open);

export type EmbeddingRequest = Static<typeof EmbeddingRequestForModel>;
