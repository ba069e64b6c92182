import { describeRun } from "@tollgate/contracts/assistants/run-object.ts";
import { type ErrorContext, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Json, Run, RunEvent } from "@tollgate/domain/assistants/records.ts";
import { isOpen } from "@tollgate/domain/assistants/run-machine.ts";
import type { AssistantStore, OwnerContext } from "../../assistants/assistant-store.ts";
import { QUIET, withIdleMarkers } from "../../assistants/idle-markers.ts";
import { found } from "../../assistants/known-id.ts";
import type { ApiContext } from "../api-context.ts";
import type { PageAnswer } from "../api-operation.ts";
import type { StreamEnd } from "../live-streams.ts";

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ": keep-alive\n\n";
const DONE = "event: done\ndata: [DONE]\n\n";
/** Names of final events, after which the run has ended or is waiting for its client. */
const LAST_EVENTS: ReadonlySet<string> = new Set(
  ["requires_action", "completed", "incomplete", "failed", "cancelled", "expired"].map(
    (status) => `thread.run.${status}`,
  ),
);

/** Run to stream, and the events to send. */
interface ListenedRun {
  readonly store: AssistantStore;
  readonly acting: OwnerContext;
  readonly run: Run;
  /** Events that are already available and are sent first. */
  readonly first: readonly RunEvent[];
  /** Number of the last event to skip. */
  readonly afterNumber: number;
  /** The request that streams the run, for errors. */
  readonly place: ErrorContext;
  /** Called when the response has ended. */
  readonly onEnd: () => void;
}

/**
 * Streams a run's events until the run ends or waits for tool outputs. The run is independent of the stream and
 * continues if the client disconnects or this process exits.
 */
export function streamRun(listened: ListenedRun, context: ApiContext, keepAliveMs = KEEP_ALIVE_MS): PageAnswer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    },
    content: (ending) => {
      // The signal aborts when the response closes, also after its last byte.
      ending.addEventListener("abort", listened.onEnd, { once: true });
      if (ending.aborted) listened.onEnd();
      return tell(listened, context, keepAliveMs, ending);
    },
  };
}

/** Returns an event with the run's current state. */
export function runEvent(run: Run, name: "created" | Run["state"]["status"] = run.state.status): RunEvent {
  return { event: `thread.run.${name}`, data: describeRun(run) as unknown as Json };
}

async function* tell(
  { store, acting, run, first, afterNumber, place }: ListenedRun,
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
    if (!ending.aborted) yield writeFailure(asFailure(error, run, context), place, context);
  }
  if (hasLeft(ending)) return;
  if (ending.aborted && !isReported) yield writeFailure(leaving(run), place, context);
  yield DONE;
}

/**
 * Returns the final event of a run whose stored events are missing. Events expire after 30 minutes and don't
 * survive a database crash.
 */
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

function writeFailure(failure: Failure, place: ErrorContext, context: ApiContext): string {
  return writeEvents([{ event: "error", data: toErrorBody(failure, context.codeStyle(), place) as unknown as Json }]);
}

function writeEvents(events: readonly RunEvent[]): string {
  return events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}
