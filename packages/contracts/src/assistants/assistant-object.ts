import type { Assistant } from "@tollgate/domain/assistants/records.ts";
import Type, { type Static } from "typebox";
import { Nullable } from "../nullable.ts";
import {
  deletedObject,
  InstructionsField,
  listOf,
  MetadataField,
  ModelField,
  ReasoningEffortField,
  ResponseFormatField,
  TemperatureField,
  ToolField,
  ToolResourcesField,
  TopPField,
} from "./assistant-fields.ts";
import { secondsOf } from "./seconds-of.ts";

const described = {
  name: Nullable(Type.String({ maxLength: 256 })),
  description: Nullable(Type.String({ maxLength: 512 })),
  instructions: Nullable(InstructionsField),
  tools: Nullable(Type.Array(ToolField, { maxItems: 128 })),
  tool_resources: Nullable(ToolResourcesField),
  metadata: Nullable(MetadataField),
  temperature: Nullable(TemperatureField),
  top_p: Nullable(TopPField),
  response_format: Nullable(ResponseFormatField),
  reasoning_effort: Nullable(ReasoningEffortField),
};

export const CreateAssistantRequest = Type.Object({ model: ModelField, ...described }, { additionalProperties: true });
export type CreateAssistantRequest = Static<typeof CreateAssistantRequest>;

export const ModifyAssistantRequest = Type.Object(
  { model: Type.Optional(ModelField), ...described },
  { additionalProperties: true },
);
export type ModifyAssistantRequest = Static<typeof ModifyAssistantRequest>;

const nullableText = Type.Union([Type.String(), Type.Null()]);

export const AssistantObject = Type.Object({
  id: Type.String(),
  object: Type.Literal("assistant"),
  created_at: Type.Integer(),
  name: nullableText,
  description: nullableText,
  model: Type.String(),
  instructions: nullableText,
  tools: Type.Array(ToolField),
  tool_resources: Type.Union([ToolResourcesField, Type.Null()]),
  metadata: MetadataField,
  temperature: Type.Union([Type.Number(), Type.Null()]),
  top_p: Type.Union([Type.Number(), Type.Null()]),
  response_format: ResponseFormatField,
  reasoning_effort: nullableText,
});
export const AssistantList = listOf(AssistantObject);
export const DeletedAssistant = deletedObject("assistant.deleted");

/** Converts an assistant to its wire format. */
export function describeAssistant({ id, createdAtMs, fields }: Assistant) {
  return {
    id,
    object: "assistant",
    created_at: secondsOf(createdAtMs),
    name: fields.name,
    description: fields.description,
    model: fields.model,
    instructions: fields.instructions,
    tools: fields.tools,
    tool_resources: fields.tool_resources,
    metadata: fields.metadata,
    temperature: fields.temperature,
    top_p: fields.top_p,
    response_format: fields.response_format,
    reasoning_effort: fields.reasoning_effort,
  };
}
