import { secondsOf } from "@tollgate/contracts/assistants/seconds-of.ts";
import type { JsonFields, RunErrorCode, RunEvent } from "@tollgate/domain/assistants/records.ts";

const CREATED = /^thread\.(message|run\.step)\.created$/;
const ENDED = /^thread\.(?:message|run\.step)\.(?:completed|incomplete|failed|cancelled|expired)$/;
const LAST_ERROR = {
  code: "server_error" satisfies RunErrorCode,
  message: "The run was interrupted and is being restarted.",
};

/**
 * Returns the events that end the messages and steps that an attempt started but did not finish. The next attempt
 * creates these records again with new IDs, and clients expect a step to end before the next step starts.
 */
export function closeRunEvents(reported: readonly RunEvent[], nowMs: number): readonly RunEvent[] {
  const open = new Map<string, RunEvent>();
  for (const said of reported) {
    const { id } = said.data as { readonly id: string };
    // After tool outputs, the stream continues from this point, and the gateway itself ends the step that waited for
    // the outputs.
    if (said.event === "thread.run.requires_action") open.clear();
    if (CREATED.test(said.event)) open.set(id, said);
    if (ENDED.test(said.event)) open.delete(id);
  }
  const at = secondsOf(nowMs);
  // The order is reversed, because a message starts after its step but ends before it.
  return [...open.values()].reverse().map(({ event, data }) => {
    const begun = data as JsonFields;
    if (event === "thread.message.created") {
      const ended = { status: "incomplete", incomplete_details: { reason: "run_failed" }, incomplete_at: at };
      return { event: "thread.message.incomplete", data: { ...begun, ...ended } };
    }
    const ended = { status: "failed", last_error: LAST_ERROR, failed_at: at };
    return { event: "thread.run.step.failed", data: { ...begun, ...ended } };
  });
}
