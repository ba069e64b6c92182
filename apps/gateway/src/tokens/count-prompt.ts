import { countText } from "./count-text.ts";

/** Tokens that a chat model adds per message, and once for the reply. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_OF_REPLY = 3;
/**
 * Token count of a typical image. Used for every image, recording, document, and video, because their tokens can't be
 * counted without their content.
 */
const TOKENS_PER_MEDIA = 765;
const MEDIA_TYPES: ReadonlySet<unknown> = new Set([
  "image",
  "image_url",
  "input_image",
  "input_audio",
  "video_url",
  "file",
  "input_file",
  "document",
]);
/** Start of a data URL with text. */
const TEXT_DATA = /^\s*data:(?:text\/|application\/json(?=[;,]))[^,]*,/i;
const SAMPLES = 4;

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly input?: unknown;
  readonly content?: unknown;
  readonly thinking?: unknown;
  readonly source?: unknown;
  readonly file?: unknown;
  readonly file_data?: unknown;
}

/** An input item: a content part, or an object that contains content parts. */
interface Item extends Part {
  readonly content?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly input?: unknown;
}

/**
 * Counts the tokens in a request's input, for upstreams that don't report usage. `body` is encoded one character per
 * byte. Text longer than `mostCharacters` is sampled, because counting blocks the event loop.
 */
export function countPrompt(body: string, mostCharacters: number): number {
  const request = JSON.parse(Buffer.from(body, "latin1").toString("utf8")) as Record<string, unknown>;
  const messages = Array.isArray(request.messages) ? (request.messages as Record<string, unknown>[]) : [];
  const texts: string[] = [];
  let tokens = messages.length > 0 ? TOKENS_OF_REPLY : 0;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE;
    for (const value of Object.values(message)) {
      if (typeof value === "string") texts.push(value);
      else if (Array.isArray(value)) tokens += gatherParts(value as Part[], texts);
    }
  }
  for (const name of ["tools", "functions", "response_format"]) {
    if (request[name] != null) texts.push(JSON.stringify(request[name]));
  }
  if (typeof request.instructions === "string") texts.push(request.instructions);
  for (const name of ["prompt", "input", "system"]) tokens += gatherItems(request[name], texts);
  return tokens + countTexts(texts, mostCharacters);
}

/**
 * Adds the text of one or more prompts to the list. Returns the number of tokens in prompts that are given as token
 * IDs.
 */
function gatherItems(given: unknown, texts: string[]): number {
  if (typeof given === "string") texts.push(given);
  if (typeof given === "number") return 1;
  if (!Array.isArray(given)) return 0;
  const items: readonly unknown[] = given;
  if (items.some((item) => typeof item === "object" && item !== null && !Array.isArray(item))) {
    return (items as Item[]).reduce((sum, item) => sum + gatherItem(item, texts), 0);
  }
  return items.reduce<number>((sum, item) => sum + gatherItems(item, texts), 0);
}

/**
 * Adds an item's text to the list. A Responses API item has its text in one of several members. Any other item is
 * itself a content part.
 */
function gatherItem(item: Item, texts: string[]): number {
  const held = [item.content, item.arguments, item.output, item.input].filter((value) => value != null);
  if (held.length === 0) return gatherParts([item], texts);
  return held.reduce<number>((sum, value) => sum + gatherItems(value, texts), TOKENS_PER_MESSAGE);
}

/**
 * Adds the text of the parts to the list. Returns the token count of parts that aren't counted as text, such as images.
 */
function gatherParts(parts: readonly Part[], texts: string[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (typeof part.text === "string") texts.push(part.text);
    else if (MEDIA_TYPES.has(part.type)) tokens += gatherMedia(part, texts);
    else if (part.type === "tool_use") texts.push(JSON.stringify(part.input ?? {}));
    else if (part.type === "tool_result") tokens += gatherItems(part.content, texts);
    else if (typeof part.thinking === "string") texts.push(part.thinking);
    else if (part.type === "function" || part.type === undefined) texts.push(JSON.stringify(part));
  }
  return tokens;
}

/** Adds the text of a document or file to the list. Returns the token count of other media. */
function gatherMedia({ source, file, file_data: data }: Part, texts: string[]): number {
  const document = source as { readonly type?: unknown; readonly data?: unknown; readonly content?: unknown } | null;
  if (document?.type === "content") return gatherItems(document.content, texts);
  const text =
    document?.type === "text" ? document.data : textOf((file as { readonly file_data?: unknown })?.file_data ?? data);
  if (typeof text !== "string") return TOKENS_PER_MEDIA;
  texts.push(text);
  return 0;
}

function textOf(data: unknown): string | null {
  const start = typeof data === "string" ? TEXT_DATA.exec(data)?.[0] : undefined;
  if (start === undefined) return null;
  const content = (data as string).slice(start.length);
  return start.endsWith(";base64,") ? Buffer.from(content, "base64").toString("utf8") : content;
}

/** Counts the tokens in these strings. If their total length exceeds `mostCharacters`, counts only samples. */
export function countTexts(texts: readonly string[], mostCharacters: number): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= mostCharacters) return texts.reduce((sum, text) => sum + countText(text), 0);
  const all = texts.join("\n");
  const sampleLength = Math.floor(mostCharacters / SAMPLES);
  const stride = (all.length - sampleLength) / (SAMPLES - 1);
  let counted = 0;
  for (let index = 0; index < SAMPLES; index += 1) {
    const start = Math.floor(index * stride);
    counted += countText(all.slice(start, start + sampleLength));
  }
  return Math.ceil((counted * all.length) / (SAMPLES * sampleLength));
}
