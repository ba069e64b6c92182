import { describeMessage } from "@tollgate/contracts/assistants/message-object.ts";
import { describeStep } from "@tollgate/contracts/assistants/step-object.ts";
import type { Json, Message, RunEvent, Step } from "@tollgate/domain/assistants/records.ts";

/** Returns an event in its stored format, for streaming. */
export function runEvent(name: string, data: object): RunEvent {
  return { event: name, data: data as Json };
}

export function stepCreatedEvents(step: Step): readonly RunEvent[] {
  const begun = describeStep(step);
  return [runEvent("thread.run.step.created", begun), runEvent("thread.run.step.in_progress", begun)];
}

export function messageCreatedEvents(message: Message): readonly RunEvent[] {
  const begun = describeMessage(message);
  return [runEvent("thread.message.created", begun), runEvent("thread.message.in_progress", begun)];
}

/** Returns the event that adds text to a message. */
export function messageDeltaEvent(messageId: string, index: number, kind: "text" | "refusal", value: string): RunEvent {
  const part =
    kind === "text" ? { index, type: kind, text: { value, annotations: [] } } : { index, type: kind, refusal: value };
  return runEvent("thread.message.delta", {
    id: messageId,
    object: "thread.message.delta",
    delta: { content: [part] },
  });
}

/**
 * Returns the event that adds to a tool call. The call's ID and name are sent only once, because clients append all
 * values that they receive.
 */
export function toolCallDeltaEvent(
  stepId: string,
  index: number,
  begun: { id: string; name: string } | null,
  given: string,
): RunEvent {
  const call =
    begun === null
      ? { index, type: "function", function: { arguments: given } }
      : { index, id: begun.id, type: "function", function: { name: begun.name, arguments: given, output: null } };
  return runEvent("thread.run.step.delta", {
    id: stepId,
    object: "thread.run.step.delta",
    delta: { step_details: { type: "tool_calls", tool_calls: [call] } },
  });
}

/** Returns the events that end a message and then its step. */
export function completedEvents(messages: readonly Message[], steps: readonly Step[]): readonly RunEvent[] {
  return [
    ...messages.map((message) => runEvent(`thread.message.${message.fields.status}`, describeMessage(message))),
    ...steps
      .filter(({ fields }) => fields.status !== "in_progress")
      .map((step) => runEvent(`thread.run.step.${step.fields.status}`, describeStep(step))),
  ];
}
