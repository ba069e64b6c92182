import Type, { type Static } from "typebox";
import { gatewayFields, ignoredFields, ModelName, open } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

/** What the provider of this form takes in one call; it advises a tenth of that. */
const MAX_DOCUMENTS = 10_000;

/** A text, or an object of which a text is made: of its `text`, or of the fields that `rank_fields` names. */
const RerankDocument = Type.Union([Type.String(), Type.Object({}, open)]);

/** What a model may or may not support. */
const rerankParamFields = {
  top_n: Nullable(Type.Integer({ minimum: 1 })),
  rank_fields: Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 64 })),
  return_documents: Nullable(Type.Boolean()),
  max_chunks_per_doc: Nullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  max_tokens_per_doc: Nullable(Type.Integer({ minimum: 1 })),
  user: Nullable(Type.String()),
} as const;

/** Their names. */
export const rerankParams: ReadonlySet<string> = new Set(Object.keys(rerankParamFields));

/** The body of a call that sorts documents by how well they answer a query. */
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
