import { type ChatRequest, openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { TranslatedCall, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { requestedTier } from "../../operations/requested-facts.ts";
import { leaveOut } from "../../wire/edit-body.ts";
import { requestHeaders } from "../build-request.ts";
import { buildContents } from "./build-contents.ts";
import { buildGenerationConfig } from "./build-generation-config.ts";
import { buildTools } from "./build-tools.ts";
import { type GeminiTraits, methodPath, traitsOf } from "./gemini-traits.ts";
import type { GenerateContentRequest } from "./gemini-wire.ts";
import { mergeExtras } from "./merge-extras.ts";
import { supportedChatParams } from "./supported-params.ts";

/** Fields that the gateway translates, and fields that have no effect upstream. */
const readFields: ReadonlySet<string> = new Set(["model", "messages", "thinking", "metadata", "top_k"]);

/** Builds the upstream request for a chat call. */
export function buildChatRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const body = buildGenerateContent(call, target, dropped);
  return {
    path: call.isStream
      ? `${methodPath(target.upstreamModel, "streamGenerateContent")}?alt=sse`
      : methodPath(target.upstreamModel, "generateContent"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify(body), "utf8"),
  };
}

/** Translates a chat call to the Gemini format, for the Gemini API and Vertex AI. */
export function buildGenerateContent(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): GenerateContentRequest {
  const whole = readableRequest(call.body);
  const request = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null)) as ChatRequest;
  leaveOut(request, dropped);
  refuseSequentialCalls(request, whole.drop_params ?? target.dropsParams ?? false);
  const body = toGenerateContent(request, call.outputLimit, traitsOf(target.upstreamModel));
  mergeExtras(body, unreadFields(request, target.upstreamModel), "");
  if (whole.extra_body != null) mergeExtras(body, whole.extra_body, "extra_body");
  return body;
}

/** Translates a chat request to the Gemini format. */
export function toGenerateContent(
  request: ChatRequest,
  outputLimit: number | null,
  traits: GeminiTraits,
): GenerateContentRequest {
  const { contents, instructions } = buildContents(request.messages, traits);
  const generationConfig = buildGenerationConfig(request, outputLimit, traits);
  const tier = requestedTier(request);
  return {
    contents,
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }),
    ...buildTools(request),
    ...(tier !== null && { serviceTier: tier }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  };
}

/** Returns the fields that are sent unchanged: unknown fields, and unsupported fields that were explicitly allowed. */
function unreadFields(request: ChatRequest, upstreamModel: string): object {
  const supported = supportedChatParams(upstreamModel);
  return Object.fromEntries(
    Object.entries(request).filter(([name]) =>
      openaiChatParams.has(name) ? !supported.includes(name) : !readFields.has(name),
    ),
  );
}

/** Rejects `parallel_tool_calls: false`, because the model itself decides how many functions it calls in parallel. */
function refuseSequentialCalls(request: ChatRequest, dropsParams: boolean): void {
  if (request.parallel_tool_calls !== false || dropsParams) return;
  throw new Failure("unsupported_parameter", "This model cannot disable parallel function calls.", {
    param: "parallel_tool_calls",
  });
}
