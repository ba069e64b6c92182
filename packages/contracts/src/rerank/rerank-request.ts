import Type, { type Static } from "typebox";
import { gatewayFields, ignoredFields, ModelName, open } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

/** Limit set by the provider that defined this API. The provider recommends a tenth of it. */
const MAX_DOCUMENTS = 10_000;

/** A string, or an object with its text in `text` or in the fields named by `rank_fields`. */
const RerankDocument = Type.Union([Type.String(), Type.Object({}, open)]);

/** Parameters that a model may or may not support. */
const rerankParamFields = {
  top_n: Nullable(Type.Integer({ minimum: 1 })),
  rank_fields: Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 64 })),
  return_documents: Nullable(Type.Boolean()),
  max_chunks_per_doc: Nullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  max_tokens_per_doc: Nullable(Type.Integer({ minimum: 1 })),
  user: Nullable(Type.String()),
} as const;

/** Names of the parameters that a model may or may not support. */
export const rerankParams: ReadonlySet<string> = new Set(Object.keys(rerankParamFields));

/** Request body for reranking documents by relevance to a query. */
export const RerankRequest = Type.Object(
  {
    model: ModelName,
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(RerankDocument, { minItems: 1, maxItems: MAX_DOCUMENTS }),
    ...rerankParamFields,
    ...gatewayFields,
    ...ignoredFields,
  },
  open,
);

export type RerankRequest = Static<typeof RerankRequest>;
