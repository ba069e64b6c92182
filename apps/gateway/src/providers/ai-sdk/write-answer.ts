import { randomUUID } from "node:crypto";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { MalformedResponse } from "../../call/provider.ts";
import type { FinishReason, GenerateResult, Source, ToolCall, UsageV4 } from "./model-v4.ts";

/** Writes a complete response in the chat completions format. */
export function writeChatAnswer(model: string, { content, finishReason, usage, response }: GenerateResult): string {
  let text = "";
  let reasoning = "";
  const calls: object[] = [];
  const annotations: object[] = [];
  for (const part of content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "reasoning") reasoning += part.text;
    else if (part.type === "tool-call" && part.providerExecuted !== true) calls.push(toolCallOf(part));
    else if (part.type === "source") annotations.push(...annotationOf(part));
  }
  const isCalling = calls.length > 0;
  if (isBroken(finishReason, usage) && text === "" && !isCalling)
    throw new MalformedResponse("the model stopped with an error");
  const reported = usageOf(usage);
  return JSON.stringify({
    id: response?.id ?? `chatcmpl-${randomUUID()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && isCalling ? null : text,
          refusal: null,
          ...(isCalling && { tool_calls: calls }),
          ...(reasoning !== "" && { reasoning_content: reasoning }),
          ...(annotations.length > 0 && { annotations }),
        },
        logprobs: null,
        finish_reason: finishOf(finishReason, isCalling),
      },
    ],
    ...(reported !== null && { usage: reported }),
  });
}

/** Writes vectors in the OpenAI embeddings format. */
export function writeVectors(model: string, vectors: readonly (readonly number[])[], tokens: unknown): string {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  const usage = isCount(tokens) && tokens > 0 ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {};
  return JSON.stringify({ object: "list", data, model, ...usage });
}

/** Returns usage in the chat completions format, or null if the package reported no usage. */
export function usageOf({ inputTokens, outputTokens }: UsageV4): object | null {
  const { total: prompt, cacheRead, cacheWrite } = inputTokens;
  const { total: completion, reasoning } = outputTokens;
  if (!isCount(prompt) || !isCount(completion)) return null;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cacheRead ?? 0, cache_creation_tokens: cacheWrite ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
}

/** Returns the finish reason in the chat completions format. */
export function finishOf({ unified }: FinishReason, isCalling: boolean): string {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "content_filter";
  return isCalling ? "tool_calls" : "stop";
}

/**
 * Reports whether the model failed or the response ended without a finish reason or usage. The second case is checked
 * because most packages hide failures.
 */
export function isBroken({ unified, raw }: FinishReason, { outputTokens }: UsageV4): boolean {
  if (unified === "error" || unified === "interrupted") return true;
  return unified === "other" && raw === undefined && outputTokens.total === undefined;
}

export function toolCallOf({ toolCallId, toolName, input }: ToolCall): object {
  return { id: toolCallId, type: "function", function: { name: toolName, arguments: input } };
}

/** Converts a cited page to an annotation. Its indexes are 0, because the package doesn't report a position. */
export function annotationOf({ url, title }: Source): readonly object[] {
  if (url === undefined) return [];
  return [{ type: "url_citation", url_citation: { start_index: 0, end_index: 0, title: title ?? "", url } }];
}
