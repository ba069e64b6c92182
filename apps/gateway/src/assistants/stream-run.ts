import { describeRun } from "@tollgate/contracts/assistants/run-object.ts";
import { toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Json, Run, RunEvent } from "@tollgate/domain/assistants/records.ts";
import { isOpen } from "@tollgate/domain/assistants/run-machine.ts";
import type { StreamEnd } from "../edge/live-streams.ts";
import type { ApiContext } from "../edge/rest-context.ts";
import type { PageAnswer } from "../edge/rest-operation.ts";
import type { AssistantStore, OwnerContext } from "./assistant-store.ts";
import { found } from "./known-id.ts";
import { QUIET, withIdleMarkers } from "./tell-pauses.ts";

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ": keep-alive\n\n";
const DONE = "event: done\ndata: [DONE]\n\n";
/** Behind these there is nothing: the run is over, or waits for its client. */
const LAST_EVENTS: ReadonlySet<string> = new Set(
  ["requires_action", "completed", "incomplete", "failed", "cancelled", "expired"].map(
    (status) => `thread.run.${status}`,
  ),
);

/** A run to be told about, from where to where. */
export interface ListenedRun {
  readonly store: AssistantStore;
  readonly acting: OwnerContext;
  readonly run: Run;
  /** What is known already, and told first. */
  readonly first: readonly RunEvent[];
  /** The last event that is not told any more. */
  readonly afterNumber: number;
}

/**
 * Answers with what happens in a run until it is over or waits for outputs. Who listens has no part in the run: it goes on
 * when the client leaves, and when this process does.
 */
export function streamRun(listened: ListenedRun, context: ApiContext, keepAliveMs = KEEP_ALIVE_MS): PageAnswer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    },
    content: (ending) => tell(listened, context, keepAliveMs, ending),
  };
}

/** An event that says how the run is. */
export function runEvent(run: Run, name: "created" | Run["state"]["status"] = run.state.status): RunEvent {
  return { event: `thread.run.${name}`, data: describeRun(run) as unknown as Json };
}

async function* tell(
  { store, acting, run, first, afterNumber }: ListenedRun,
  context: ApiContext,
  keepAliveMs: number,
  ending: AbortSignal,
): AsyncGenerator<string> {
  yield writeEvents(first);
  let isReported = false;
  try {
    for await (const batch of withIdleMarkers(store.follow(acting, run.id, afterNumber, ending), keepAliveMs)) {
      yield batch === QUIET ? KEEP_ALIVE : writeEvents(batch);
      isReported = batch !== QUIET && batch.some(({ event }) => LAST_EVENTS.has(event));
      if (isReported) break;
    }
    if (!isReported && !ending.aborted) yield writeEvents([await readEnd(store, acting, run)]);
  } catch (error) {
    if (!ending.aborted) yield writeFailure(asFailure(error, run, context), context);
  }
  if (hasLeft(ending)) return;
  if (ending.aborted && !isReported) yield writeFailure(leaving(run), context);
  yield DONE;
}

/** How a run is whose events did not say it: they are kept for minutes, and not through a crash of the database. */
async function readEnd(store: AssistantStore, acting: OwnerContext, { threadId, id }: Run): Promise<RunEvent> {
  const run = found(await store.findRun(acting, threadId, id), "run", id);
  if (!isOpen(run.state.status) || run.state.status === "requires_action") return runEvent(run);
  throw new Failure("service_unavailable", `Events of run '${id}' are no longer available. The run continues.`, {
    fix: RETRIEVE,
  });
}

const RETRIEVE = "Poll the run until it finishes, then list the thread's messages.";

function leaving({ id }: Run): Failure {
  return new Failure("shutting_down", `This instance is shutting down. Run '${id}' continues.`, { fix: RETRIEVE });
}

function hasLeft(ending: AbortSignal): boolean {
  return ending.aborted && ending.reason === ("client_gone" satisfies StreamEnd);
}

function asFailure(error: unknown, { id }: Run, context: ApiContext): Failure {
  if (error instanceof Failure) return error;
  context.onUnexpected(error, id);
  return new Failure("internal_error", `Events of run '${id}' are no longer available.`, { fix: RETRIEVE });
}

function writeFailure(failure: Failure, context: ApiContext): string {
  return writeEvents([{ event: "error", data: toErrorBody(failure, context.codeStyle()) as unknown as Json }]);
}

function writeEvents(events: readonly RunEvent[]): string {
  return events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}
