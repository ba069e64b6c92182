import { toJsonBytes } from "../../wire/edit-body.ts";
import { dataOfFrame } from "../../wire/sse-frames.ts";

const REASONING = '"reasoning":';
const REASONING_CONTENT = '"reasoning_content":';
/**
 * Matches the member name only before a string or null. Some upstreams also return the request's reasoning settings as
 * an object with this name.
 */
const reasoningTexts = /"reasoning":(?=\s?(?:"|null))/g;

/**
 * Renames `reasoning` to `reasoning_content`, which clients read. Quotes inside strings are escaped, so content can't
 * match.
 */
export function nameReasoning(text: string): string {
  if (!text.includes(REASONING) || text.includes(REASONING_CONTENT)) return text;
  return text.replaceAll(reasoningTexts, REASONING_CONTENT);
}

/** Removes Azure's first frame, which contains filter results but no choice, because clients don't expect it. */
export function withoutEmptyChoices(text: string): string {
  if (!text.includes('"choices":[]') || isWhole(text)) return text;
  return text
    .split(/(?<=\n\n)/)
    .filter((frame) => !frame.includes('"choices":[]') || frame.includes('"usage":{'))
    .join("");
}

/** Adds the finish reason that xAI sometimes omits after tool calls. */
export function withReasonForTools(text: string): string {
  if (!text.includes('"finish_reason":""') || !text.includes('"tool_calls":[')) return text;
  return text.replaceAll('"finish_reason":""', '"finish_reason":"tool_calls"');
}

/**
 * Converts Mistral responses, which have thinking inside the content, a nonstandard finish reason for a full context
 * window, and tool calls without a type.
 */
export function fromMistral(text: string): string {
  const named = text.replaceAll('"finish_reason":"model_length"', '"finish_reason":"length"');
  if (!named.includes('"content":[') && !named.includes('"tool_calls":[')) return named;
  if (isWhole(named)) return changeMessages(named);
  return named
    .split(/(?<=\n\n)/)
    .map(changeFrame)
    .join("");
}

/** Reports whether the text is a complete response, not stream frames. */
function isWhole(text: string): boolean {
  return /^\s*\{/.test(text);
}

function changeFrame(frame: string): string {
  const data = dataOfFrame(frame);
  return data === null || data === "[DONE]" ? frame : frame.replace(data, () => changeMessages(data));
}

interface MistralAnswer {
  readonly choices?: readonly { message?: MistralMessage; delta?: MistralMessage }[];
}
interface MistralMessage {
  content?: unknown;
  reasoning_content?: string;
  tool_calls?: unknown;
}

function changeMessages(json: string): string {
  let answer: MistralAnswer | null;
  try {
    answer = JSON.parse(Buffer.from(json, "latin1").toString("utf8")) as MistralAnswer | null;
  } catch {
    return json;
  }
  if (!Array.isArray(answer?.choices)) return json;
  for (const choice of answer.choices as readonly { message?: MistralMessage; delta?: MistralMessage }[]) {
    const message = choice.message ?? choice.delta;
    if (message === undefined) continue;
    if (Array.isArray(message.content)) splitReasoning(message, message.content as readonly unknown[]);
    if (Array.isArray(message.tool_calls)) message.tool_calls = message.tool_calls.map(withType);
  }
  return toJsonBytes(answer);
}

function splitReasoning(message: MistralMessage, parts: readonly unknown[]): void {
  const thoughts = parts.filter((part) => isPart(part, "thinking"));
  message.content = parts
    .filter((part) => isPart(part, "text"))
    .map(textOf)
    .join("");
  if (thoughts.length > 0) message.reasoning_content = thoughts.map(textOf).join("");
}

function isPart(part: unknown, type: string): boolean {
  return typeof part === "object" && part !== null && (part as { type?: unknown }).type === type;
}

/** Returns a content part's text. A thinking part contains a list of text parts. */
function textOf(part: unknown): string {
  const { text, thinking } = part as { text?: unknown; thinking?: unknown };
  if (Array.isArray(thinking)) return thinking.map(textOf).join("");
  return String(text ?? thinking ?? "");
}

function withType(call: unknown): unknown {
  return typeof call === "object" && call !== null ? { type: "function", ...dropNullType(call) } : call;
}

function dropNullType(call: object): object {
  const { type, ...rest } = call as { type?: unknown };
  return type == null ? rest : call;
}
