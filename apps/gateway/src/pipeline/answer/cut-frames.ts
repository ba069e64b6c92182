import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Call } from "../call.ts";

const DONE = "data: [DONE]\n\n";

/**
 * Returns the final frames of a stream that reached its maximum length: finish reason, usage if requested, and closing
 * frame.
 */
export function cutFrames(call: Call, usage: Usage, nowMs: number): string {
  const isChat = call.operation === "chat.completions";
  const object = isChat ? "chat.completion.chunk" : "text_completion";
  const id = `${isChat ? "chatcmpl" : "cmpl"}-${call.exchange.eventId}`;
  const head = `data: {"id":"${id}","object":"${object}","created":${Math.floor(nowMs / 1_000)},"model":${call.model.shownJson}`;
  const said = isChat ? '"delta":{}' : '"text":""';
  const end = `${head},"choices":[{"index":0,${said},"logprobs":null,"finish_reason":"length"}]}\n\n`;
  if (!call.wantsUsage) return end + DONE;
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const shown = {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
  };
  return `${end}${head},"choices":[],"usage":${JSON.stringify(shown)}}\n\n${DONE}`;
}
