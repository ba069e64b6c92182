import type { Step } from "@tollgate/domain/assistants/records.ts";
import Type from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";
import { listOf, MetadataField } from "./assistant-fields.ts";
import { secondsOf, secondsOrNull } from "./seconds-of.ts";
import { describeUsage, UsageObject } from "./usage-object.ts";

const nullableTime = Type.Union([Type.Integer(), Type.Null()]);

export const StepObject = Type.Object({
  id: Type.String(),
  object: Type.Literal("thread.run.step"),
  created_at: Type.Integer(),
  run_id: Type.String(),
  assistant_id: Type.String(),
  thread_id: Type.String(),
  type: Type.Union([Type.Literal("message_creation"), Type.Literal("tool_calls")]),
  status: Type.String(),
  step_details: AnyObject,
  last_error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  expired_at: nullableTime,
  cancelled_at: nullableTime,
  failed_at: nullableTime,
  completed_at: nullableTime,
  metadata: MetadataField,
  usage: Type.Union([UsageObject, Type.Null()]),
});
export const StepList = listOf(StepObject);

/** Converts a run step to its wire format. */
export function describeStep({ id, createdAtMs, runId, threadId, assistantId, fields }: Step) {
  const { status, details, lastError, endedAtMs, usage } = fields;
  const endedAt = (end: typeof status) => (status === end ? secondsOrNull(endedAtMs) : null);
  return {
    id,
    object: "thread.run.step",
    created_at: secondsOf(createdAtMs),
    run_id: runId,
    assistant_id: assistantId,
    thread_id: threadId,
    type: details.type,
    status,
    step_details:
      details.type === "message_creation"
        ? { type: details.type, message_creation: { message_id: details.messageId } }
        : {
            type: details.type,
            tool_calls: details.calls.map(({ id: callId, type, function: called, output }) => ({
              id: callId,
              type,
              function: { ...called, output },
            })),
          },
    last_error: lastError,
    expired_at: endedAt("expired"),
    cancelled_at: endedAt("cancelled"),
    failed_at: endedAt("failed"),
    completed_at: endedAt("completed"),
    metadata: {},
    usage: usage === null ? null : describeUsage(usage),
  };
}
