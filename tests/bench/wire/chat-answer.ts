import { upstreamModel } from "./chat-request.ts";

const contentPieces = 20;
const usage = { prompt_tokens: 171, completion_tokens: 60, total_tokens: 231 };
const created = 1_790_000_000;

const answerText =
  "Most likely the payment page was sent twice: the first answer came late, so the browser or the customer tried again. " +
  "Check the payment log for two charges with one order number, give back the later one, and tell the customer that " +
  "banks take three to five working days. Ask finance only when both charges are already settled.";

export const longAnswerKiB = 64;

/** Non-streaming response from the fake upstream, about 640 bytes. */
export const jsonAnswer = writeAnswer(answerText);
export const jsonAnswerText = answerText;
/** The text of a long non-streaming response. */
export const longAnswerText = repeat(answerText, longAnswerKiB * 1024 - writeAnswer("").length);
export const longJsonAnswer = writeAnswer(longAnswerText);
export const streamedText = Array.from({ length: contentPieces }, (_, index) => pieceText(index)).join("");

function writeAnswer(content: string): string {
  return JSON.stringify({
    id: "chatcmpl-9f3b2c7d41e84a60",
    object: "chat.completion",
    created,
    model: upstreamModel,
    choices: [{ index: 0, message: { role: "assistant", content }, logprobs: null, finish_reason: "stop" }],
    usage,
    system_fingerprint: "fp_5b1c09",
  });
}

function repeat(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** Returns the frames of one streamed response. Includes usage only if requested, like real providers. */
export function writeStreamFrames(reportsUsage: boolean): string[] {
  const frames = Array.from({ length: contentPieces }, (_, index) => contentFrame(index, reportsUsage));
  frames.push(frame([{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }], reportsUsage ? null : undefined));
  if (reportsUsage) frames.push(frame([], usage));
  frames.push("data: [DONE]\n\n");
  return frames;
}

/** Returns one content frame of about 260 bytes. */
export function contentFrame(index: number, reportsUsage: boolean): string {
  const choice = { index: 0, delta: { content: pieceText(index) }, logprobs: null, finish_reason: null };
  return frame([choice], reportsUsage ? null : undefined);
}

function frame(choices: unknown[], usageField: typeof usage | null | undefined): string {
  const chunk = {
    id: "chatcmpl-9f3b2c7d41e84a60",
    object: "chat.completion.chunk",
    created,
    model: upstreamModel,
    system_fingerprint: "fp_5b1c09",
    choices,
    usage: usageField,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function pieceText(index: number): string {
  return ` part ${String(index).padStart(2, "0")}`;
}
