import { type EmbeddingRequest, embeddingParams } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { writeEmbeddings } from "../../operations/embeddings/write-embeddings.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { requestHeaders } from "../build-request.ts";
import { isVector, parseEmbeddings, textsAtMost } from "../embedding-parts.ts";
import { methodPath, modelId } from "./gemini-traits.ts";
import { camelCase } from "./merge-extras.ts";

/** Maximum number of inputs that the provider accepts in one request. */
const MAX_TEXTS = 100;
const settledFields: ReadonlySet<string> = new Set(["model", "content", "outputDimensionality"]);

/** Gemini embeddings, for text only. Vectors are always numbers, and the gateway encodes them. */
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
  const shared = {
    model: `models/${modelId(target.upstreamModel)}`,
    ...(request.dimensions != null && !dropped.has("dimensions") && { outputDimensionality: request.dimensions }),
    ...extrasOf(request, dropped),
  };
  const requests = texts.map((text) => ({ ...shared, content: { parts: [{ text }] } }));
  return {
    path: methodPath(target.upstreamModel, "batchEmbedContents"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify({ requests }), "utf8"),
  };
}

/** Returns Gemini-specific fields, such as the purpose of the vectors. They are repeated for each input. */
function extrasOf(request: EmbeddingRequest, dropped: ReadonlySet<string>): object {
  const unknown = Object.entries(request).filter(
    ([name, value]) =>
      value !== null && name !== "model" && name !== "input" && !embeddingParams.has(name) && !dropped.has(name),
  );
  const extras = [...unknown, ...Object.entries(request.extra_body ?? {})];
  return Object.fromEntries(
    extras.map(([name, value]) => {
      const field = camelCase(name);
      if (!settledFields.has(field)) return [field, value];
      throw new Failure("invalid_request", `'${name}' cannot be set in extra_body. Use the request field instead.`, {
        param: name,
      });
    }),
  );
}

interface BatchAnswer {
  readonly embeddings?: readonly { readonly values?: unknown }[];
  readonly usageMetadata?: { readonly promptTokenCount?: unknown };
}

function readEmbeddings(call: TranslatedCall<EmbeddingRequest>, text: string): ReadAnswer {
  const { embeddings, usageMetadata } = parseEmbeddings<BatchAnswer>(text);
  if (!Array.isArray(embeddings) || embeddings.length === 0) throw unreadable();
  const vectors = (embeddings as NonNullable<BatchAnswer["embeddings"]>).map(({ values }) => {
    if (!isVector(values)) throw unreadable();
    return values;
  });
  const tokens = usageMetadata?.promptTokenCount;
  return writeEmbeddings(call, vectors, Number.isSafeInteger(tokens) && Number(tokens) > 0 ? Number(tokens) : null);
}
