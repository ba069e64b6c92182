import { secondsOf } from "@tollgate/contracts/assistants/seconds-of.ts";
import type { JsonFields, RunErrorCode, RunEvent } from "@tollgate/domain/assistants/records.ts";

const CREATED = /^thread\.(message|run\.step)\.created$/;
const ENDED = /^thread\.(?:message|run\.step)\.(?:completed|incomplete|failed|cancelled|expired)$/;
const LAST_ERROR = {
  code: "server_error" satisfies RunErrorCode,
  message: "The run was interrupted and is being restarted.",
};

/**
 * The events that end what an attempt had begun to tell and never finished. The next attempt tells everything anew, under
 * other ids, and listeners take no step to begin before the last one is over.
 */
export function closeRunEvents(reported: readonly RunEvent[], nowMs: number): readonly RunEvent[] {
  const open = new Map<string, RunEvent>();
  for (const said of reported) {
    const { id } = said.data as { readonly id: string };
    // Whoever listens after outputs were given hears from there on; the step that waited is ended by the gateway.
    if (said.event === "thread.run.requires_action") open.clear();
    if (CREATED.test(said.event)) open.set(id, said);
    if (ENDED.test(said.event)) open.delete(id);
  }
  const at = secondsOf(nowMs);
  // A message is over before its step, which began first.
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
