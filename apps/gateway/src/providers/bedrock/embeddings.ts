import { type EmbeddingRequest, embeddingParams } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { readableRequest } from "../../call/call-body.ts";
import type {
  ReadAnswer,
  TranslatedCall,
  Translation,
  UpstreamHeaders,
  UpstreamRequest,
  UpstreamTarget,
} from "../../call/provider.ts";
import { writeEmbeddings } from "../../operations/embeddings/write-embeddings.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { requestHeaders } from "../build-request.ts";
import { isVector, parseEmbeddings, textsAtMost } from "../embedding-parts.ts";
import { modelIdOf, modelPath } from "./bedrock-address.ts";

/** Maximum number of inputs that the provider accepts in one request. */
const MAX_COHERE_TEXTS = 96;
const TOKEN_COUNT = "x-amzn-bedrock-input-token-count";
const settledFields: ReadonlySet<string> = new Set(["inputText", "texts", "model", "input"]);

/**
 * Embeddings for Titan and Cohere models. Each model uses its vendor's format, because Bedrock has no common format.
 */
export const bedrockEmbeddings: Translation<EmbeddingRequest> = {
  supportedParams: (upstreamModel) =>
    takesDimensions(modelIdOf(upstreamModel)) ? [...embeddingParams] : ["encoding_format", "user"],
  buildRequest,
  readAnswer,
  readStream: () => {
    throw new Error("embeddings are not streamed");
  },
};

function buildRequest(
  call: TranslatedCall<EmbeddingRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const request = readableRequest(call.body);
  const id = modelIdOf(target.upstreamModel);
  const isCohere = id.includes("cohere.");
  const texts = textsAtMost(request.input, id, isCohere ? MAX_COHERE_TEXTS : 1);
  const dimensions = dropped.has("dimensions") ? null : request.dimensions;
  const own = isCohere
    ? { texts, input_type: "search_document", ...(dimensions != null && { output_dimension: dimensions }) }
    : { inputText: texts[0], ...(dimensions != null && { dimensions }) };
  return {
    path: modelPath(target.upstreamModel, "invoke"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify({ ...own, ...extrasOf(request, dropped) }), "utf8"),
  };
}

function takesDimensions(id: string): boolean {
  return id.includes("titan-embed-text-v2") || id.includes("cohere.embed-v4");
}

/** Returns vendor-specific fields, such as the purpose of the vectors. */
function extrasOf(request: EmbeddingRequest, dropped: ReadonlySet<string>): object {
  const unknown = Object.entries(request).filter(
    ([name, value]) =>
      value !== null && name !== "model" && name !== "input" && !embeddingParams.has(name) && !dropped.has(name),
  );
  const extras = [...unknown, ...Object.entries(request.extra_body ?? {})];
  const settled = extras.find(([name]) => settledFields.has(name))?.[0];
  if (settled === undefined) return Object.fromEntries(extras);
  throw new Failure("invalid_request", `'${settled}' cannot be set in extra_body. Use the request field instead.`, {
    param: settled,
  });
}

interface InvokeAnswer {
  readonly embedding?: unknown;
  readonly inputTextTokenCount?: unknown;
  readonly embeddings?: unknown;
}

function readAnswer(call: TranslatedCall<EmbeddingRequest>, text: string, headers: UpstreamHeaders): ReadAnswer {
  const { embedding, embeddings, inputTextTokenCount } = parseEmbeddings<InvokeAnswer>(text);
  const float = (embeddings as { readonly float?: unknown } | undefined)?.float;
  const vectors = embedding === undefined ? (float ?? embeddings) : [embedding];
  if (!Array.isArray(vectors) || vectors.length === 0 || !vectors.every(isVector)) throw unreadable();
  const counted = inputTextTokenCount ?? Number(headers[TOKEN_COUNT] ?? Number.NaN);
  return writeEmbeddings(call, vectors, isCount(counted) && counted > 0 ? counted : null);
}
