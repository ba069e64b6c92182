import { Failure } from "@tollgate/contracts/failures.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";

/** The rules of a message that no schema can say. */
export function checkMessageRequest({ messages }: MessageRequest): void {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content !== "string") refuseFiles(content, `messages.${index}.content`);
  }
}

/** A file by its id would be a file of the operator's account at the provider, whoever put it there. */
function refuseFiles(blocks: readonly unknown[], at: string): void {
  for (const [index, value] of blocks.entries()) {
    const block = value as Block | null;
    const place = `${at}.${index}`;
    if (block?.file_id != null || block?.source?.file_id != null) {
      throw new Failure("invalid_request", "Files cannot be named by an id here.", {
        param: place,
        fix: "Send the file itself: a source of type 'base64', 'text' or 'url'.",
      });
    }
    if (Array.isArray(block?.content)) refuseFiles(block.content, `${place}.content`);
    if (Array.isArray(block?.source?.content)) refuseFiles(block.source.content, `${place}.source.content`);
  }
}

interface Block {
  readonly file_id?: unknown;
  readonly content?: unknown;
  readonly source?: { readonly file_id?: unknown; readonly content?: unknown } | null;
}
