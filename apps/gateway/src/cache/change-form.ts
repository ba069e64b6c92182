// cspell:ignore tells -- See cache-record.ts.
import type { Call } from "../call/call.ts";
import { canChangeForm } from "./cache-key.ts";
import type { CacheRecord } from "./cache-record.ts";
import { joinFrames } from "./join-frames.ts";
import { type Completion, DONE_FRAME, framesOf, splitFrames, usageFrame, writeFrame } from "./split-answer.ts";

/**
 * Converts a cached response to the form that this call requested. Returns the response unchanged if its form is
 * already the requested one. Returns null if it can't be parsed, because cached content is untrusted.
 */
export function changeForm(call: Call, kept: CacheRecord): string | null {
  const isSame = call.answerForm === kept.form && (kept.form === "whole" || call.wantsUsage === kept.tellsUsage);
  if (isSame || !canChangeForm(call)) return kept.text;
  const usage = {
    prompt_tokens: kept.promptTokens,
    completion_tokens: kept.outputTokens,
    total_tokens: kept.promptTokens + kept.outputTokens,
  };
  const text = Buffer.from(kept.text, "latin1").toString("utf8");
  try {
    return Buffer.from(change(call, kept, text, usage), "utf8").toString("latin1");
  } catch {
    return null;
  }
}

function change(call: Call, kept: CacheRecord, text: string, usage: object): string {
  if (kept.form === "whole") return framesOf(JSON.parse(text) as Completion, call.wantsUsage);
  const chunks = splitFrames(text);
  if (call.answerForm === "whole") return JSON.stringify(joinFrames(chunks, usage));
  const reported = chunks.filter(({ choices }) => choices.length > 0);
  const [first] = reported;
  const last = call.wantsUsage && first !== undefined ? usageFrame(first, usage) : "";
  return `${reported.map(writeFrame).join("")}${last}${DONE_FRAME}`;
}
