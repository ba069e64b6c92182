import { Failure } from "@tollgate/contracts/failures.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { isRunByClient } from "./is-run-by-client.ts";

/** Checks message rules that a schema can't express. */
export function checkMessageRequest({ messages }: MessageRequest): void {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content !== "string") checkBlocks(content, `messages.${index}.content`);
  }
}

/**
 * Rejects file IDs, because they refer to files in the operator's provider account. Also checks tools that a block
 * defines inside a conversation, because the provider charges for the tools that it runs.
 */
function checkBlocks(blocks: readonly unknown[], at: string): void {
  for (const [index, value] of blocks.entries()) {
    const block = value as Block | null;
    const place = `${at}.${index}`;
    if (block?.file_id != null || block?.source?.file_id != null) {
      throw new Failure("invalid_request", "File IDs are not supported.", {
        param: place,
        fix: "Send the file itself, as a source of type 'base64', 'text', or 'url'.",
      });
    }
    if (block?.type === "tool_addition" && !isRunByClient(block.tool?.definition?.type)) {
      throw new Failure(
        "unsupported_tool",
        "The provider runs and bills this tool, and no price is configured for it.",
        {
          param: place,
          fix: "Send only client-side tools.",
        },
      );
    }
    if (Array.isArray(block?.content)) checkBlocks(block.content, `${place}.content`);
    if (Array.isArray(block?.source?.content)) checkBlocks(block.source.content, `${place}.source.content`);
  }
}

interface Block {
  readonly type?: unknown;
  readonly tool?: { readonly definition?: { readonly type?: unknown } | null } | null;
  readonly file_id?: unknown;
  readonly content?: unknown;
  readonly source?: { readonly file_id?: unknown; readonly content?: unknown } | null;
}
