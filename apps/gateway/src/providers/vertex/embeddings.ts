import { type EmbeddingRequest, embeddingParams } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { writeEmbeddings } from "../../operations/embeddings/write-embeddings.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { requestHeaders } from "../build-request.ts";
import { isVector, parseEmbeddings, textsAtMost } from "../embedding-parts.ts";
import { googlePath } from "./vertex-gemini.ts";

/** Maximum number of strings that the provider accepts in one request. */
const MAX_TEXTS = 250;
/** Fields that apply to each string rather than to the whole request. */
const ofText: ReadonlySet<string> = new Set(["task_type", "title"]);
const ofAll: ReadonlySet<string> = new Set(["autoTruncate", "auto_truncate"]);

/** Embeddings in the `predict` format, which Vertex AI uses for many models. */
export const vertexEmbeddings: Translation<EmbeddingRequest> = {
  supportedParams: () => [...embeddingParams],
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
  const texts = textsAtMost(request.input, target.upstreamModel, MAX_TEXTS);
  const extras = extrasOf(request, dropped);
  const shared = Object.fromEntries(extras.filter(([name]) => ofText.has(name)));
  const parameters = {
    ...(request.dimensions != null && !dropped.has("dimensions") && { outputDimensionality: request.dimensions }),
    ...Object.fromEntries(extras.filter(([name]) => ofAll.has(name))),
  };
  const body = {
    instances: texts.map((content) => ({ content, ...shared })),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  return {
    path: googlePath(target, "predict"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify(body), "utf8"),
  };
}

/** Returns Vertex-specific fields, such as the purpose of the vectors. */
function extrasOf(request: EmbeddingRequest, dropped: ReadonlySet<string>): readonly (readonly [string, unknown])[] {
  const unknown = Object.entries(request).filter(
    ([name, value]) =>
      value !== null && name !== "model" && name !== "input" && !embeddingParams.has(name) && !dropped.has(name),
  );
  const extras = [...unknown, ...Object.entries(request.extra_body ?? {})];
  const refused = extras.find(([name]) => !ofText.has(name) && !ofAll.has(name))?.[0];
  if (refused === undefined) return extras;
  throw new Failure("unsupported_parameter", `This model does not support '${refused}'.`, { param: refused });
}

interface PredictAnswer {
  readonly predictions?: readonly {
    readonly embeddings?: { readonly values?: unknown; readonly statistics?: { readonly token_count?: unknown } };
  }[];
}

function readAnswer(call: TranslatedCall<EmbeddingRequest>, text: string): ReadAnswer {
  const { predictions } = parseEmbeddings<PredictAnswer>(text);
  if (!Array.isArray(predictions) || predictions.length === 0) throw unreadable();
  let tokens: number | null = 0;
  const vectors = (predictions as NonNullable<PredictAnswer["predictions"]>).map((prediction) => {
    const { values, statistics } = prediction?.embeddings ?? {};
    if (!isVector(values)) throw unreadable();
    const counted = statistics?.token_count;
    tokens = tokens !== null && isCount(counted) ? tokens + counted : null;
    return values;
  });
  return writeEmbeddings(call, vectors, tokens === 0 ? null : tokens);
}
