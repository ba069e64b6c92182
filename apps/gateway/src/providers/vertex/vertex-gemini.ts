import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type {
  TokenCounting,
  TranslatedCall,
  Translation,
  UpstreamRequest,
  UpstreamTarget,
} from "../../call/provider.ts";
import { requestHeaders } from "../build-request.ts";
import { buildGenerateContent } from "../gemini/build-chat-request.ts";
import { readCount, toCounted } from "../gemini/count-tokens.ts";
import { modelId } from "../gemini/gemini-traits.ts";
import type { GeminiPart, GenerateContentRequest } from "../gemini/gemini-wire.ts";
import { readChatAnswer } from "../gemini/read-chat-answer.ts";
import { GeminiStreamReader } from "../gemini/stream-reader.ts";
import { supportedChatParams } from "../gemini/supported-params.ts";

/** Matches the name of a tuned model, which is an endpoint number. */
const ENDPOINT = /^(?:gemini\/)?(\d+)$/;

/** The header that requests a service tier. The Gemini API has a field for it. */
const TIER_HEADER = "x-vertex-ai-llm-shared-request-type";

/** Chat completions with Google's own models. */
export const vertexChat: Translation<ChatRequest> = {
  supportedParams: supportedChatParams,
  buildRequest,
  readAnswer: readChatAnswer,
  readStream: (call) => new GeminiStreamReader(call),
};

/** Token counting by the provider. */
export const vertexTokenCounting: TokenCounting = {
  buildRequest: (body, target) => ({
    path: googlePath(target, "countTokens"),
    headers: target.prepared.headers,
    body: toVertexBytes(toCounted(body, target)),
  }),
  readCount,
};

function buildRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const { serviceTier, ...body } = buildGenerateContent(call, target, dropped);
  const headers = requestHeaders(call, target);
  return {
    path:
      googlePath(target, call.isStream ? "streamGenerateContent" : "generateContent") +
      (call.isStream ? "?alt=sse" : ""),
    headers: serviceTier === undefined ? headers : [...headers, TIER_HEADER, serviceTier],
    body: toVertexBytes(body),
  };
}

/**
 * Returns the path of a model's method. The model name may come from a client, so it is encoded as one path segment.
 */
export function googlePath({ prepared, upstreamModel }: UpstreamTarget, method: string): string {
  const endpoint = ENDPOINT.exec(upstreamModel)?.[1];
  const place =
    endpoint === undefined
      ? `publishers/google/models/${encodeURIComponent(modelId(upstreamModel))}`
      : `endpoints/${endpoint}`;
  return `${prepared.path?.prefix ?? ""}/${place}:${method}`;
}

/** Matches a reference to a file without a public https URL, anywhere in a body. */
const STORED_FILE = /"file(?:Uri|_uri)":"(?!https:\/\/)/;

/**
 * Serializes the body for Vertex AI. Removes call IDs, which Vertex AI rejects, and rejects stored files, which Vertex
 * AI would read with the operator's account.
 */
function toVertexBytes(body: GenerateContentRequest): Buffer {
  const contents = body.contents.map((content) => ({ ...content, parts: content.parts.map(withoutIds) }));
  const json = JSON.stringify({ ...body, contents });
  if (STORED_FILE.test(json)) throw notTheirs();
  return Buffer.from(json, "utf8");
}

function withoutIds(part: GeminiPart): GeminiPart {
  if (part.functionCall !== undefined) return { ...part, functionCall: withoutId(part.functionCall) };
  if (part.functionResponse === undefined) return part;
  return { ...part, functionResponse: withoutId(part.functionResponse) };
}

function withoutId<Named extends { readonly id?: unknown }>({ id: _, ...rest }: Named): Omit<Named, "id"> {
  return rest;
}

/**
 * Creates the failure for a reference to a stored file. Stored files belong to the operator, so callers must not read
 * them.
 */
function notTheirs(): Failure {
  return new Failure("invalid_request", "Files stored at the provider belong to the operator's account.", {
    param: "messages",
    fix: "Send the file itself, or a public https URL.",
  });
}
