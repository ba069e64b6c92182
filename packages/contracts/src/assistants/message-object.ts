import type { Message } from "@tollgate/domain/assistants/records.ts";
import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";
import { deletedObject, listOf, MetadataField, PageQueryFields } from "./assistant-fields.ts";
import { secondsOf, secondsOrNull } from "./seconds-of.ts";

const open = { additionalProperties: true } as const;
const Detail = Type.Optional(Type.Union([Type.Literal("auto"), Type.Literal("low"), Type.Literal("high")]));
const MAX_TEXT = 256_000;

const ImageUrlPart = Type.Object(
  { type: Type.Literal("image_url"), image_url: Type.Object({ url: Type.String(), detail: Detail }, open) },
  open,
);
const ImageFilePart = Type.Object(
  { type: Type.Literal("image_file"), image_file: Type.Object({ file_id: Type.String(), detail: Detail }, open) },
  open,
);

export const CreateMessageRequest = Type.Object(
  {
    role: Type.Union([Type.Literal("user"), Type.Literal("assistant")]),
    content: Type.Union([
      Type.String({ maxLength: MAX_TEXT }),
      Type.Array(
        Type.Union(
          [
            Type.Object({ type: Type.Literal("text"), text: Type.String({ maxLength: MAX_TEXT }) }, open),
            ImageUrlPart,
            ImageFilePart,
          ],
          { discriminator: "type" },
        ),
        { minItems: 1, maxItems: 64 },
      ),
    ]),
    attachments: Nullable(Type.Array(AnyObject, { maxItems: 20 })),
    metadata: Nullable(MetadataField),
  },
  open,
);
export type CreateMessageRequest = Static<typeof CreateMessageRequest>;

export const ModifyMessageRequest = Type.Object({ metadata: Nullable(MetadataField) }, open);
export type ModifyMessageRequest = Static<typeof ModifyMessageRequest>;

export const MessageQueryParameters = Type.Object({
  ...PageQueryFields,
  run_id: Type.Optional(Type.String({ maxLength: 64, description: "Only messages created by this run." })),
});
export type MessageQueryParameters = Static<typeof MessageQueryParameters>;

const nullableTime = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);

export const MessageObject = Type.Object({
  id: Type.String(),
  object: Type.Literal("thread.message"),
  created_at: Type.Integer(),
  thread_id: Type.String(),
  status: Type.Union([Type.Literal("in_progress"), Type.Literal("incomplete"), Type.Literal("completed")]),
  incomplete_details: Type.Union([Type.Object({ reason: Type.String() }), Type.Null()]),
  completed_at: nullableTime,
  incomplete_at: nullableTime,
  role: Type.Union([Type.Literal("user"), Type.Literal("assistant")]),
  content: Type.Array(AnyObject),
  assistant_id: nullableText,
  run_id: nullableText,
  attachments: Type.Union([Type.Array(AnyObject), Type.Null()]),
  metadata: MetadataField,
});
export const MessageList = listOf(MessageObject);
export const DeletedMessage = deletedObject("thread.message.deleted");

/** Converts a message to its wire format. */
export function describeMessage({ id, createdAtMs, threadId, runId, fields }: Message) {
  const { status, incompleteReason, endedAtMs } = fields;
  return {
    id,
    object: "thread.message",
    created_at: secondsOf(createdAtMs),
    thread_id: threadId,
    status,
    incomplete_details: incompleteReason === null ? null : { reason: incompleteReason },
    completed_at: status === "completed" ? secondsOrNull(endedAtMs) : null,
    incomplete_at: status === "incomplete" ? secondsOrNull(endedAtMs) : null,
    role: fields.role,
    content: fields.content,
    assistant_id: fields.assistantId,
    run_id: runId,
    attachments: fields.attachments,
    metadata: fields.metadata,
  };
}
