import { Failure } from "@tollgate/contracts/failures.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { chatNameOf } from "./to-chat-tools.ts";

/** A content block, with only the fields that the gateway reads. */
interface Block extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

type Part = Readonly<Record<string, unknown>>;

/** Placeholder for an image in a tool result. Chat models accept images only in user messages. */
const PICTURE_FOLLOWS = "[The image follows.]";

/** Converts the conversation to chat messages. `keepsMarks` is true if the upstream supports cache marks. */
export function toChatMessages(request: Pick<MessageRequest, "system" | "messages">, keepsMarks: boolean): object[] {
  const writer = new ChatWriter(keepsMarks);
  if (request.system != null) writer.say("system", request.system as string | readonly Block[], "system");
  for (const [index, { role, content }] of request.messages.entries()) {
    const at = `messages.${index}`;
    const said = content as string | readonly Block[];
    if (role === "assistant") writer.answer(said, at);
    else if (role === "system") writer.say("system", said, at);
    else writer.ask(said, at);
  }
  return writer.messages;
}

class ChatWriter {
  readonly messages: object[] = [];
  readonly #keepsMarks: boolean;

  constructor(keepsMarks: boolean) {
    this.#keepsMarks = keepsMarks;
  }

  say(role: "system" | "user", content: string | readonly Block[], at: string): void {
    const said = typeof content === "string" ? content : this.#partsOf(content, at);
    if (said.length > 0) this.messages.push({ role, content: said });
  }

  /** Adds a user message, preceded by the results of the tools that the model called. */
  ask(content: string | readonly Block[], at: string): void {
    if (typeof content === "string") return this.say("user", content, at);
    const shown: Part[] = [];
    for (const [index, block] of content.entries()) {
      if (block.type === "tool_result") this.#reply(block, `${at}.content.${index}`, shown);
    }
    const parts = this.#partsOf(
      content.filter(({ type }) => type !== "tool_result"),
      at,
    );
    if (shown.length + parts.length > 0) this.messages.push({ role: "user", content: [...shown, ...parts] });
  }

  #reply(block: Block, at: string, shown: Part[]): void {
    const { content, is_error: isError } = block;
    const parts = typeof content === "string" ? [textPart(content)] : this.#partsOf(blocksIn(content), at);
    const texts = parts.map((part) => {
      if (part.type === "text") return part.text as string;
      shown.push(part);
      return PICTURE_FOLLOWS;
    });
    const text = texts.join("\n");
    const said = isError === true && !/^\W*(?:tool_use_)?error/i.test(text) ? `Error: ${text}` : text;
    this.messages.push({ role: "tool", tool_call_id: String(block.tool_use_id), content: said });
  }

  answer(content: string | readonly Block[], at: string): void {
    if (typeof content === "string") {
      this.messages.push({ role: "assistant", content });
      return;
    }
    let text = "";
    let thought = "";
    const thoughts: Part[] = [];
    const calls: Part[] = [];
    for (const [index, block] of content.entries()) {
      if (block.type === "text") text += textOf(block.text);
      else if (block.type === "tool_use") calls.push(toCall(block));
      else if (block.type === "thinking") {
        thought += textOf(block.thinking);
        if (isSigned(block)) thoughts.push(block);
      } else if (block.type === "redacted_thinking") thoughts.push(block);
      else throw unknownBlock(block, `${at}.content.${index}`);
    }
    if (text === "" && calls.length === 0) return;
    this.messages.push({
      role: "assistant",
      content: text === "" ? null : text,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(thought !== "" && { reasoning_content: thought }),
      ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
    });
  }

  #partsOf(blocks: readonly Block[], at: string): Part[] {
    return blocks.flatMap((block, index) => {
      const parts = toParts(block, `${at}.content.${index}`);
      const last = parts.at(-1);
      if (!this.#keepsMarks || block.cache_control == null || last === undefined) return parts;
      return [...parts.slice(0, -1), { ...last, cache_control: block.cache_control }];
    });
  }
}

function toParts(block: Block, at: string): Part[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [textPart(textOf(block.text))];
    case "image":
      return [{ type: "image_url", image_url: { url: addressOf(sourceOf(block), at) } }];
    case "document":
      return documentParts(block, at);
    case "search_result":
      return [textPart([block.title, block.source, ...blocksIn(block.content).map(({ text }) => text)].join("\n"))];
    case "tool_reference":
      return [textPart(textOf(block.tool_name))];
    default:
      throw unknownBlock(block, at);
  }
}

/** Converts a document. Text documents are sent as text, and other documents as bytes. */
function documentParts(block: Block, at: string): Part[] {
  const { title } = block;
  const source = sourceOf(block);
  const heading = typeof title === "string" && title !== "" ? `${title}\n` : "";
  if (source.type === "text") return [textPart(heading + textOf(source.data))];
  if (source.type === "content") {
    const parts =
      typeof source.content === "string"
        ? [textPart(source.content)]
        : blocksIn(source.content).flatMap((inner, index) => toParts(inner, `${at}.source.content.${index}`));
    return heading === "" ? parts : [textPart(heading), ...parts];
  }
  const filename = typeof title === "string" && title !== "" ? title : "document.pdf";
  return [{ type: "file", file: { filename, file_data: addressOf(source, at) } }];
}

/** Returns the URL of a source, which is either a data URL with its bytes or a URL that the provider fetches. */
function addressOf({ type, media_type: mediaType, data, url }: Part, at: string): string {
  if (type === "base64" && typeof data === "string") return `data:${textOf(mediaType)};base64,${data}`;
  if (type === "url" && typeof url === "string") return url;
  throw new Failure("invalid_request", "A source must be of type 'base64' or 'url'.", { param: `${at}.source` });
}

function toCall({ id, name, input }: Block): Part {
  return {
    id: String(id),
    type: "function",
    function: { name: chatNameOf(String(name)), arguments: JSON.stringify(input ?? {}) },
  };
}

/**
 * Reports whether a thinking block has a signature. A block without a signature comes from a model that doesn't sign
 * thinking, so it can't be verified.
 */
function isSigned({ signature }: Block): boolean {
  return typeof signature === "string" && signature !== "";
}

function blocksIn(content: unknown): readonly Block[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === "object" && block !== null) : [];
}

function sourceOf({ source }: Block): Part {
  return typeof source === "object" && source !== null ? (source as Part) : {};
}

function textPart(text: string): Part {
  return { type: "text", text };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function unknownBlock({ type }: Block, param: string): Failure {
  return new Failure("invalid_request", `The model does not support blocks of type '${type}'.`, {
    param,
    fix: "Remove the block, or choose an Anthropic model.",
  });
}
