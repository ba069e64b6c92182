import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { mayCacheLong } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { writeCompletion } from "../anthropic/read-answer.ts";
import type { Counters } from "../anthropic/read-usage.ts";
import type { Block } from "../anthropic/wire.ts";
import type { ConverseAnswer, ConverseUsage } from "./converse-wire.ts";

/** Translates a complete response into a chat completion. */
export function readConverseAnswer(call: TranslatedCall<ChatRequest>, text: string): ReadAnswer {
  const { output, stopReason, usage, serviceTier } = parse(text);
  const content = output?.message?.content;
  if (!Array.isArray(content)) throw unreadable();
  return writeCompletion(call, {
    content: content.flatMap(toBlocks),
    stop_reason: toStopReason(stopReason),
    usage: usage == null ? null : toCounters(usage, mayCacheLong(call.body), serviceTier?.type),
  });
}

/**
 * Converts usage counters to the Messages API format. `asksLong` is true if the request may ask for one-hour caches, and
 * `tier` is the service tier that served the call.
 */
export function toCounters(usage: ConverseUsage, asksLong: boolean, tier?: unknown): Counters {
  const long = longWritesOf(usage, asksLong);
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens ?? 0,
    cache_creation_input_tokens: usage.cacheWriteInputTokens ?? 0,
    ...(long !== undefined && { cache_creation: { ephemeral_1h_input_tokens: long } }),
    ...(tier !== undefined && { service_tier: tier }),
  };
}

/** Returns the one-hour cache writes. If a response doesn't have the lifetime of its writes, it is what was asked for. */
function longWritesOf({ cacheDetails, cacheWriteInputTokens }: ConverseUsage, asksLong: boolean): unknown {
  if (!Array.isArray(cacheDetails)) return asksLong ? cacheWriteInputTokens : undefined;
  const details: NonNullable<ConverseUsage["cacheDetails"]> = cacheDetails;
  return details.find((detail) => detail?.ttl === "1h")?.inputTokens;
}

/** Converts the stop reason to the Messages API format. */
export function toStopReason(stopReason: unknown): unknown {
  return stopReason === "content_filtered" || stopReason === "guardrail_intervened" ? "refusal" : stopReason;
}

interface AnswerBlock {
  readonly text?: unknown;
  readonly toolUse?: { readonly toolUseId?: unknown; readonly name?: unknown; readonly input?: unknown };
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: unknown; readonly signature?: unknown };
    readonly redactedContent?: unknown;
  };
  readonly citationsContent?: { readonly content?: readonly AnswerBlock[] };
}

function toBlocks(block: AnswerBlock | null): readonly Block[] {
  const { text, toolUse, reasoningContent, citationsContent } = block ?? {};
  if (text !== undefined) return [{ type: "text", text }];
  if (toolUse !== undefined) {
    return [{ type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }];
  }
  const { reasoningText, redactedContent } = reasoningContent ?? {};
  if (reasoningText !== undefined) {
    return [{ type: "thinking", thinking: reasoningText.text, signature: reasoningText.signature }];
  }
  if (redactedContent !== undefined) return [{ type: "redacted_thinking", data: redactedContent }];
  return Array.isArray(citationsContent?.content) ? citationsContent.content.flatMap(toBlocks) : [];
}

function parse(text: string): ConverseAnswer {
  try {
    const answer: unknown = JSON.parse(Buffer.from(text, "latin1").toString("utf8"));
    if (typeof answer === "object" && answer !== null) return answer;
  } catch (error) {
    throw unreadable(error);
  }
  throw unreadable();
}
