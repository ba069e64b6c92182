import { type EmbeddingRequest, embeddingParams } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { writeEmbeddings } from "../../operations/embeddings/write-embeddings.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { operationPath, requestHeaders } from "../build-request.ts";
import { isVector, textsAtMost } from "../embedding-parts.ts";
import { parseObject } from "../openai/parse-object.ts";

/** Maximum number of inputs that the provider accepts in one request. */
const MAX_TEXTS = 96;
/** Default purpose of the vectors. The API requires a purpose in every request. */
const DEFAULT_INPUT_TYPE = "search_document";
const settledFields: ReadonlySet<string> = new Set(["model", "texts", "images", "inputs", "embedding_types"]);

/** Cohere embeddings, for text only. Vectors are always requested as numbers, and the gateway encodes them. */
export const embeddingTranslation: Translation<EmbeddingRequest> = {
  supportedParams: () => [...embeddingParams],
  buildRequest: buildEmbeddingRequest,
  readAnswer: readEmbeddings,
  readStream: () => {
    throw new Error("embeddings are not streamed");
  },
};

function buildEmbeddingRequest(
  call: TranslatedCall<EmbeddingRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const request = readableRequest(call.body);
  const texts = textsAtMost(request.input, target.upstreamModel, MAX_TEXTS);
  const body = {
    input_type: DEFAULT_INPUT_TYPE,
    ...extrasOf(request, dropped),
    ...(request.dimensions != null && !dropped.has("dimensions") && { output_dimension: request.dimensions }),
    model: target.upstreamModel,
    texts,
    embedding_types: ["float"],
  };
  return {
    path: operationPath(target, "/embed"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify(body), "utf8"),
  };
}

/** Returns Cohere-specific fields, such as the purpose of the vectors. */
function extrasOf(request: EmbeddingRequest, dropped: ReadonlySet<string>): object {
  const unknown = Object.entries(request).filter(
    ([name, value]) =>
      value !== null && name !== "model" && name !== "input" && !embeddingParams.has(name) && !dropped.has(name),
  );
  const extras = [...unknown, ...Object.entries(request.extra_body ?? {})];
  for (const [name] of extras) {
    if (!settledFields.has(name)) continue;
    throw new Failure("invalid_request", `'${name}' cannot be set in extra_body. Use the request field instead.`, {
      param: name,
    });
  }
  return Object.fromEntries(extras);
}

interface Answer {
  readonly embeddings?: { readonly float?: unknown } | null;
  readonly meta?: { readonly billed_units?: { readonly input_tokens?: unknown } | null } | null;
}

function readEmbeddings(call: TranslatedCall<EmbeddingRequest>, text: string): ReadAnswer {
  const answer = parseObject(text) as Answer | null;
  const vectors = answer?.embeddings?.float;
  if (!Array.isArray(vectors) || vectors.length === 0 || !vectors.every(isVector)) throw unreadable();
  const tokens = answer?.meta?.billed_units?.input_tokens;
  return writeEmbeddings(call, vectors, isCount(tokens) && tokens > 0 ? tokens : null);
}
