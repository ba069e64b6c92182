import type { TokenCountRequest } from "@tollgate/contracts/utilities/token-count.ts";
import { countImage } from "./count-image.ts";

/** Tokens that a chat model adds per message, per name, and once for the reply. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_NAME = 1;
const TOKENS_OF_REPLY = 3;

/** Input to count: strings, and a number of additional tokens that doesn't depend on the vocabulary. */
interface CountedTexts {
  readonly texts: readonly string[];
  readonly fixedTokens: number;
}

type Members = Readonly<Record<string, unknown>>;

/** Collects everything that counts as tokens in a prompt, in any of the three supported formats. */
export function gatherTexts(request: TokenCountRequest): CountedTexts {
  const gatherer = new Gatherer();
  if (request.prompt != null) gatherer.texts.push(request.prompt);
  if (request.system != null) gatherer.addMessage({ role: "system", content: request.system });
  for (const message of [...(request.messages ?? []), ...(request.contents ?? [])]) {
    gatherer.addMessage(message as Members);
  }
  if (request.messages != null || request.contents != null) gatherer.fixedTokens += TOKENS_OF_REPLY;
  for (const tool of request.tools ?? []) gatherer.texts.push(JSON.stringify(tool));
  return gatherer;
}

class Gatherer implements CountedTexts {
  readonly texts: string[] = [];
  fixedTokens = 0;

  addMessage(message: Members): void {
    this.fixedTokens += TOKENS_PER_MESSAGE;
    this.#addText(message.role);
    if (typeof message.name === "string") {
      this.fixedTokens += TOKENS_PER_NAME;
      this.texts.push(message.name);
    }
    this.#addContent(message.content);
    this.#addContent(message.parts);
    for (const call of [...toList(message.tool_calls), message.function_call]) {
      const called = isObject(call) && isObject(call.function) ? call.function : call;
      if (!isObject(called)) continue;
      this.#addText(called.name);
      this.#addText(called.arguments);
    }
  }

  #addContent(content: unknown): void {
    if (typeof content === "string") this.texts.push(content);
    for (const part of toList(content)) if (isObject(part)) this.#addPart(part);
  }

  /** Adds a part: text, an image, or other content that is counted as JSON. */
  #addPart(part: Members): void {
    if (typeof part.text === "string") this.texts.push(part.text);
    else if (part.type === "image_url") {
      const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
      this.fixedTokens += countImage(String(image.url), image.detail);
    } else if (isObject(part.source)) this.fixedTokens += countImage(toDataUrl(part.source, "media_type"), null);
    else if (isObject(part.inlineData)) this.fixedTokens += countImage(toDataUrl(part.inlineData, "mimeType"), null);
    else if (part.type === "tool_result") this.#addContent(part.content);
    else this.texts.push(JSON.stringify(part));
  }

  #addText(value: unknown): void {
    if (typeof value === "string") this.texts.push(value);
  }
}

/** Returns an image's data and type as a data URL, or its URL. */
function toDataUrl(source: Members, typeName: string): string {
  return typeof source.data === "string"
    ? `data:${String(source[typeName])};base64,${source.data}`
    : String(source.url);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
