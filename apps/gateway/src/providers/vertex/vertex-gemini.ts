import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { buildGenerateContent } from "../gemini/build-chat-request.ts";
import { readCount, toCounted } from "../gemini/count-tokens.ts";
import { modelId } from "../gemini/gemini-traits.ts";
import type { GeminiPart, GenerateContentRequest } from "../gemini/gemini-wire.ts";
import { readChatAnswer } from "../gemini/read-chat-answer.ts";
import { GeminiStreamReader } from "../gemini/stream-reader.ts";
import { supportedChatParams } from "../gemini/supported-params.ts";
import { requestHeaders } from "../prepare-target.ts";
import type { TokenCounting, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../provider.ts";

/** A model that an operator tuned, by the number of the place where it runs. */
const ENDPOINT = /^(?:gemini\/)?(\d+)$/;

/** Chat completions with Google's own models. */
export const vertexChat: Translation<ChatRequest> = {
  supportedParams: supportedChatParams,
  buildRequest,
  readAnswer: readChatAnswer,
  readStream: (call) => new GeminiStreamReader(call),
};

/** Counting by the provider. */
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
  return {
    path:
      googlePath(target, call.isStream ? "streamGenerateContent" : "generateContent") +
      (call.isStream ? "?alt=sse" : ""),
    headers: requestHeaders(call, target),
    body: toVertexBytes(buildGenerateContent(call, target, dropped)),
  };
}

/** The path of a method of a model. The name may come from a client, so nothing of it can leave its place in the path. */
export function googlePath({ prepared, upstreamModel }: UpstreamTarget, method: string): string {
  const endpoint = ENDPOINT.exec(upstreamModel)?.[1];
  const place =
    endpoint === undefined
      ? `publishers/google/models/${encodeURIComponent(modelId(upstreamModel))}`
      : `endpoints/${endpoint}`;
  return `${prepared.path?.prefix ?? ""}/${place}:${method}`;
}

/** A file that is not read from the open network, wherever in a body it is named. */
const STORED_FILE = /"file(?:Uri|_uri)":"(?!https:\/\/)/;

/** The same wire knows no ids of calls here, and reads stored files under the operator's account. */
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

/** What is stored there is the operator's, and not every caller's to read. */
function notTheirs(): Failure {
  return new Failure("invalid_request", "Files stored at the provider belong to the operator's account.", {
    param: "messages",
    fix: "Send the file itself, or a public https URL.",
  });
}
