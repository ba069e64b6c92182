import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { type CallBody, readableRequest } from "../../call/call-body.ts";
import { type Edit, toJsonBytes } from "../../wire/edit-body.ts";

const UNSIGNED = /"signature"\s*:\s*""/;

/**
 * Removes thinking blocks without a signature, because the provider rejects thinking that it can't verify. Returns null
 * if the body has no such blocks, which is the usual case.
 */
export function withoutUnsignedThinking(body: CallBody<MessageRequest>): Edit | null {
  if (!UNSIGNED.test(body.bytes.toString("latin1"))) return null;
  const messages = readableRequest(body).messages.flatMap((message) => {
    if (typeof message.content === "string") return [message];
    const content = message.content.filter((block) => !isUnsigned(block));
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
  return { name: "messages", json: toJsonBytes(messages) };
}

function isUnsigned({ type, signature }: { readonly type: string; readonly signature?: unknown }): boolean {
  return type === "thinking" && signature === "";
}
