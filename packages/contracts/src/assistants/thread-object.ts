import type { Thread } from "@tollgate/domain/assistants/records.ts";
import Type, { type Static } from "typebox";
import { Nullable } from "../nullable.ts";
import { deletedObject, MetadataField, ToolResourcesField } from "./assistant-fields.ts";
import { CreateMessageRequest } from "./message-object.ts";
import { secondsOf } from "./seconds-of.ts";

const described = { metadata: Nullable(MetadataField), tool_resources: Nullable(ToolResourcesField) };

export const CreateThreadRequest = Type.Object(
  { messages: Nullable(Type.Array(CreateMessageRequest, { maxItems: 1_000 })), ...described },
  { additionalProperties: true },
);
export type CreateThreadRequest = Static<typeof CreateThreadRequest>;

export const ModifyThreadRequest = Type.Object(described, { additionalProperties: true });
export type ModifyThreadRequest = Static<typeof ModifyThreadRequest>;

export const ThreadObject = Type.Object({
  id: Type.String(),
  object: Type.Literal("thread"),
  created_at: Type.Integer(),
  metadata: MetadataField,
  tool_resources: Type.Union([ToolResourcesField, Type.Null()]),
});
export const DeletedThread = deletedObject("thread.deleted");

/** Converts a thread to its wire format. */
export function describeThread({ id, createdAtMs, fields }: Thread) {
  return {
    id,
    object: "thread",
    created_at: secondsOf(createdAtMs),
    metadata: fields.metadata,
    tool_resources: fields.tool_resources,
  };
}
