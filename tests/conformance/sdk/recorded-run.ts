import assert from "node:assert/strict";
import type OpenAI from "openai";
import type { AssistantStream } from "openai/lib/AssistantStream";

/** Records everything that a stream's handlers receive. */
export function listen(stream: AssistantStream) {
  const received = {
    stream,
    events: [] as string[],
    created: 0,
    text: "",
    done: [] as string[],
    calls: [] as OpenAI.Beta.Threads.Runs.FunctionToolCall[],
  };
  stream
    .on("event", ({ event }) => received.events.push(event))
    .on("textCreated", () => {
      received.created += 1;
    })
    .on("textDelta", ({ value }) => {
      received.text += value ?? "";
    })
    .on("textDone", ({ value }) => received.done.push(value))
    .on("runStepDelta", (_delta, { step_details: details }) => {
      if (details.type === "tool_calls") received.calls = details.tool_calls.filter((call) => call.type === "function");
    });
  return received;
}

/** Throws unless the run has completed and all of its fields are consistent with that status. */
export function expectCompleted(run: OpenAI.Beta.Threads.Run): void {
  assert.equal(run.status, "completed", run.last_error?.message);
  assert.ok(run.usage !== null && run.usage.total_tokens > 0);
  assert.equal(run.usage.prompt_tokens + run.usage.completion_tokens, run.usage.total_tokens);
  assert.ok(run.started_at !== null && run.completed_at !== null && run.expires_at === null);
}

/** Returns the IDs in a list across all pages. */
export async function idsOf(list: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

/** Returns the text of a message. */
export function textOf({ content }: OpenAI.Beta.Threads.Message): string {
  return content.map((part) => (part.type === "text" ? part.text.value : "")).join("");
}
