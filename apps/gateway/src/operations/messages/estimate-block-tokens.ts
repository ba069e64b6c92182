import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import type { PartTokens } from "../operation-kind.ts";
import { imageTokens, sumParts, UNBOUNDED } from "../sum-parts.ts";

interface Block {
  readonly type?: unknown;
  readonly source?: {
    readonly type?: unknown;
    readonly data?: unknown;
    readonly url?: unknown;
    readonly content?: unknown;
  } | null;
  readonly content?: unknown;
}

/**
 * Estimates the number of tokens for a message's images and documents, including nested images and documents. Their
 * size in bytes doesn't predict their tokens.
 */
export function estimateBlockTokens({ messages }: MessageRequest): PartTokens {
  return sumParts(estimatesOf(messages));
}

function* estimatesOf(messages: MessageRequest["messages"]): Generator<PartTokens> {
  for (const { content } of messages) if (typeof content !== "string") yield* blocksOf(content as readonly Block[]);
}

function* blocksOf(blocks: readonly (Block | null)[]): Generator<PartTokens> {
  for (const block of blocks) {
    const { type, source, content } = block ?? {};
    if (type === "image") yield imageTokens(source?.data ?? source?.url);
    // A text document is estimated by its bytes, like other text. Nested blocks are estimated below.
    else if (source != null && source.type !== "text" && source.type !== "content") yield UNBOUNDED;
    if (Array.isArray(content)) yield* blocksOf(content as readonly Block[]);
    if (Array.isArray(source?.content)) yield* blocksOf(source.content as readonly Block[]);
  }
}
