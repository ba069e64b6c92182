import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { NO_PARTS, type PartTokens } from "../../call/operation-kind.ts";
import { hasOnly, imageTokens, isOtherMedia, sumParts, UNBOUNDED, withTools } from "../estimate-input.ts";

const TEXT_NAMES: ReadonlySet<string> = new Set(["type", "text", "citations", "cache_control"]);
/** Blocks that contain only text, apart from nested blocks in `content`. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "search_result",
]);

interface Block {
  readonly type?: unknown;
  readonly source?: unknown;
  readonly content?: unknown;
}

interface Source {
  readonly type?: unknown;
  readonly media_type?: unknown;
  readonly data?: unknown;
  readonly url?: unknown;
  readonly content?: unknown;
}

/**
 * Estimates the tokens of a request's images and documents, in messages, in the system prompt, and in tool results. The
 * size in bytes doesn't predict their tokens.
 */
export function estimateBlockTokens(request: MessageRequest): PartTokens {
  const { messages, system } = request;
  return withTools(sumParts(estimatesOf([{ content: system }, ...messages])), request);
}

function* estimatesOf(messages: readonly { readonly content?: unknown }[]): Generator<PartTokens> {
  for (const { content } of messages) yield* blocksIn(content);
}

function* blocksIn(content: unknown): Generator<PartTokens> {
  if (!Array.isArray(content)) {
    if (typeof content === "object" && content !== null) yield UNBOUNDED;
    return;
  }
  for (const block of content as readonly (Block | null)[]) if (block !== null) yield* estimatesOfBlock(block);
}

function* estimatesOfBlock(block: Block): Generator<PartTokens> {
  const { type, content } = block;
  if (type === "text") yield hasOnly(block, TEXT_NAMES) ? NO_PARTS : UNBOUNDED;
  else if (type === "image") yield estimateImage(sourceOf(block));
  else if (type === "document") yield* estimatesOfDocument(sourceOf(block));
  else if (TEXT_TYPES.has(type)) yield* blocksIn(content);
  else yield UNBOUNDED;
}

function estimateImage({ type, media_type: mediaType, data, url }: Source): PartTokens {
  if (type === "url" && data == null) return imageTokens(url);
  if (type !== "base64" || url != null || typeof data !== "string") return UNBOUNDED;
  return isOtherMedia(mediaType) ? UNBOUNDED : { ...NO_PARTS, bytes: data.length, images: 1 };
}

/** A text document is estimated by its bytes, like other text. */
function* estimatesOfDocument({ type, url, content }: Source): Generator<PartTokens> {
  if (type === "content") yield* blocksIn(content);
  else if (type !== "text" || url != null) yield UNBOUNDED;
}

function sourceOf({ source }: Block): Source {
  return typeof source === "object" && source !== null ? source : {};
}
