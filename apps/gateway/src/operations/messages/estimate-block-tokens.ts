import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import type { PartTokens } from "../operation-kind.ts";

/** Upper bound on the number of tokens for an image of any size. Few models exceed this bound. */
const TOKENS_PER_IMAGE = 6_000;
/** File bytes per token. A document page has about a thousand tokens and tens of kilobytes. */
const DOCUMENT_BYTES_PER_TOKEN = 12;

const NOTHING: PartTokens = { bytes: 0, tokens: 0 };

interface Block {
  readonly type?: unknown;
  readonly source?: { readonly type?: unknown; readonly data?: unknown; readonly url?: unknown } | null;
  readonly content?: unknown;
}

/**
 * Estimates the number of tokens for a message's images and documents, including nested images and documents. Their
 * size in bytes doesn't predict their tokens.
 */
export function estimateBlockTokens({ messages }: MessageRequest): PartTokens {
  const sum = { bytes: 0, tokens: 0 };
  for (const { content } of messages) if (typeof content !== "string") addBlocks(content as readonly Block[], sum);
  return sum.tokens === 0 ? NOTHING : sum;
}

function addBlocks(blocks: readonly (Block | null)[], sum: { bytes: number; tokens: number }): void {
  for (const block of blocks) {
    if (block?.type === "image") {
      sum.bytes += lengthOf(block.source?.data) + lengthOf(block.source?.url);
      sum.tokens += TOKENS_PER_IMAGE;
    } else if (block?.type === "document" && block.source?.type === "base64") {
      const bytes = lengthOf(block.source.data);
      sum.bytes += bytes;
      sum.tokens += Math.ceil(bytes / DOCUMENT_BYTES_PER_TOKEN);
    } else if (block?.type === "tool_result" && Array.isArray(block.content)) {
      addBlocks(block.content as readonly Block[], sum);
    }
  }
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
