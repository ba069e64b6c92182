import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { TranslatedCall, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { buildMessagesBody } from "../anthropic/build-request.ts";
import { requestHeaders } from "../build-request.ts";
import { modelPath } from "./bedrock-address.ts";
import { type BedrockTraits, bedrockTraits } from "./bedrock-traits.ts";
import { toConverse } from "./to-converse.ts";

/** Builds Amazon's request for a chat call. */
export function buildConverseRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const traits = bedrockTraits(target.upstreamModel);
  const { max_tokens: maxTokens, ...body } = buildMessagesBody(call, target, dropped, traits.messages);
  const asked = {
    ...body,
    // If neither the request, nor the gateway, nor the catalog sets a limit, the provider applies its default limit.
    ...(isLimited(call, target) && { max_tokens: maxTokens }),
    ...reasoningFields(dropped.has("reasoning_effort") ? null : call.body.request.reasoning_effort, traits),
  };
  return {
    path: modelPath(target.upstreamModel, call.isStream ? "converse-stream" : "converse"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify(toConverse(asked, traits)), "utf8"),
  };
}

function isLimited({ body, outputLimit }: TranslatedCall<ChatRequest>, { facts }: UpstreamTarget): boolean {
  const { max_tokens: tokens, max_completion_tokens: completion } = body.request;
  return (tokens ?? completion ?? outputLimit ?? facts?.maxOutputTokens ?? null) !== null;
}

const levels: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
};

/** Returns the reasoning settings for models from vendors other than Anthropic. */
function reasoningFields(effort: string | null | undefined, { reasoning }: BedrockTraits): object {
  const level = levels[effort ?? ""];
  if (level === undefined) return {};
  if (reasoning === "nova") return { reasoningConfig: { type: "enabled", maxReasoningEffort: level } };
  return reasoning === "openai" ? { reasoning_effort: level } : {};
}
