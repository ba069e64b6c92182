import type { Run } from "@tollgate/domain/assistants/records.ts";
import { isOpen } from "@tollgate/domain/assistants/run-machine.ts";
import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";
import {
  InstructionsField,
  listOf,
  MetadataField,
  ModelField,
  ReasoningEffortField,
  ResponseFormatField,
  TemperatureField,
  ToolField,
  TopPField,
} from "./assistant-fields.ts";
import { CreateMessageRequest } from "./message-object.ts";
import { secondsOf, secondsOrNull } from "./seconds-of.ts";
import { CreateThreadRequest } from "./thread-object.ts";
import { describeRunUsage, RunUsageObject } from "./usage-object.ts";

const open = { additionalProperties: true } as const;
const TokenLimit = Type.Integer({ minimum: 256 });

const asked = {
  assistant_id: Type.String({ minLength: 1, maxLength: 64 }),
  model: Nullable(ModelField),
  instructions: Nullable(InstructionsField),
  tools: Nullable(Type.Array(ToolField, { maxItems: 20 })),
  metadata: Nullable(MetadataField),
  temperature: Nullable(TemperatureField),
  top_p: Nullable(TopPField),
  stream: Nullable(Type.Boolean()),
  max_prompt_tokens: Nullable(TokenLimit),
  max_completion_tokens: Nullable(TokenLimit),
  truncation_strategy: Nullable(
    Type.Object(
      {
        type: Type.Union([Type.Literal("auto"), Type.Literal("last_messages")]),
        last_messages: Nullable(Type.Integer({ minimum: 1 })),
      },
      open,
    ),
  ),
  tool_choice: Nullable(
    Type.Union([
      Type.Union([Type.Literal("none"), Type.Literal("auto"), Type.Literal("required")]),
      Type.Object({ type: Type.String() }, open),
    ]),
  ),
  parallel_tool_calls: Nullable(Type.Boolean()),
  response_format: Nullable(ResponseFormatField),
  reasoning_effort: Nullable(ReasoningEffortField),
};

export const CreateRunRequest = Type.Object(
  {
    ...asked,
    additional_instructions: Nullable(InstructionsField),
    additional_messages: Nullable(Type.Array(CreateMessageRequest, { maxItems: 1_000 })),
  },
  open,
);
export type CreateRunRequest = Static<typeof CreateRunRequest>;

export const CreateThreadAndRunRequest = Type.Object({ ...asked, thread: Nullable(CreateThreadRequest) }, open);
export type CreateThreadAndRunRequest = Static<typeof CreateThreadAndRunRequest>;

export const ModifyRunRequest = Type.Object({ metadata: Nullable(MetadataField) }, open);
export type ModifyRunRequest = Static<typeof ModifyRunRequest>;

export const SubmitToolOutputsRequest = Type.Object(
  {
    tool_outputs: Type.Array(
      Type.Object(
        { tool_call_id: Type.String({ maxLength: 256 }), output: Nullable(Type.String({ maxLength: 512_000 })) },
        open,
      ),
      { minItems: 1, maxItems: 128 },
    ),
    stream: Nullable(Type.Boolean()),
  },
  open,
);
export type SubmitToolOutputsRequest = Static<typeof SubmitToolOutputsRequest>;

const nullableTime = Type.Union([Type.Integer(), Type.Null()]);

export const RunObject = Type.Object({
  id: Type.String(),
  object: Type.Literal("thread.run"),
  created_at: Type.Integer(),
  thread_id: Type.String(),
  assistant_id: Type.String(),
  status: Type.String(),
  required_action: Type.Union([AnyObject, Type.Null()]),
  last_error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  expires_at: nullableTime,
  started_at: nullableTime,
  cancelled_at: nullableTime,
  failed_at: nullableTime,
  completed_at: nullableTime,
  incomplete_details: Type.Union([Type.Object({ reason: Type.String() }), Type.Null()]),
  model: Type.String(),
  instructions: Type.String(),
  tools: Type.Array(ToolField),
  metadata: MetadataField,
  usage: Type.Union([RunUsageObject, Type.Null()]),
  temperature: Type.Union([Type.Number(), Type.Null()]),
  top_p: Type.Union([Type.Number(), Type.Null()]),
  max_prompt_tokens: nullableTime,
  max_completion_tokens: nullableTime,
  truncation_strategy: Type.Object({ type: Type.String(), last_messages: nullableTime }),
  tool_choice: Type.Union([Type.String(), AnyObject]),
  parallel_tool_calls: Type.Boolean(),
  response_format: ResponseFormatField,
  reasoning_effort: Type.Union([Type.String(), Type.Null()]),
});
export const RunList = listOf(RunObject);

/** Converts a run to its wire format. */
export function describeRun({ id, createdAtMs, threadId, assistantId, state, usage, fields }: Run) {
  const endedAt = (status: Run["state"]["status"]) => (state.status === status ? secondsOrNull(state.endedAtMs) : null);
  return {
    id,
    object: "thread.run",
    created_at: secondsOf(createdAtMs),
    thread_id: threadId,
    assistant_id: assistantId,
    status: state.status,
    required_action:
      state.status === "requires_action" && fields.required !== null
        ? { type: "submit_tool_outputs", submit_tool_outputs: { tool_calls: fields.required } }
        : null,
    last_error: fields.lastError,
    expires_at: secondsOrNull(state.expiresAtMs),
    started_at: secondsOrNull(state.startedAtMs),
    cancelled_at: endedAt("cancelled"),
    failed_at: endedAt("failed"),
    completed_at: endedAt("completed"),
    incomplete_details: fields.incompleteReason === null ? null : { reason: fields.incompleteReason },
    model: fields.model,
    instructions: fields.instructions,
    tools: fields.tools,
    metadata: fields.metadata,
    usage: isOpen(state.status) || usage === null ? null : describeRunUsage(usage),
    temperature: fields.temperature,
    top_p: fields.top_p,
    max_prompt_tokens: fields.max_prompt_tokens,
    max_completion_tokens: fields.max_completion_tokens,
    truncation_strategy: fields.truncation_strategy,
    tool_choice: fields.tool_choice,
    parallel_tool_calls: fields.parallel_tool_calls,
    response_format: fields.response_format,
    reasoning_effort: fields.reasoning_effort,
  };
}
