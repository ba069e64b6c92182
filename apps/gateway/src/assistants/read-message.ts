import type { CreateMessageRequest } from "@tollgate/contracts/assistants/message-object.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ContentPart, MessageFields } from "@tollgate/domain/assistants/records.ts";

type WrittenPart = Exclude<CreateMessageRequest["content"], string>[number];

/** Returns a message in its stored form, with status complete. Rejects files, because file storage is not supported. */
export function readMessage(request: CreateMessageRequest, nowMs: number): MessageFields {
  const { role, content, attachments, metadata } = request;
  if (attachments != null && attachments.length > 0) throw noFiles("attachments");
  return {
    role,
    content: typeof content === "string" ? [textPart(content)] : content.map(readPart),
    status: "completed",
    incompleteReason: null,
    endedAtMs: nowMs,
    assistantId: null,
    attachments: attachments == null ? null : [],
    metadata: metadata ?? {},
  };
}

function readPart(part: WrittenPart): ContentPart {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "image_url": {
      // The URL is passed to the model unchanged, because the gateway never fetches a URL that a caller sent.
      const { url, detail = "auto" } = part.image_url;
      return { type: "image_url", image_url: { url, detail } };
    }
    case "image_file":
      throw noFiles("content");
  }
}

function textPart(value: string): ContentPart {
  return { type: "text", text: { value, annotations: [] } };
}

function noFiles(param: string): Failure {
  return new Failure("unsupported_tool", "Files are not supported.", {
    param,
    fix: "Send text, or send images by URL (including data: URLs) in image_url parts.",
  });
}
