import { Failure } from "@tollgate/contracts/failures.ts";
import { LogStreamQuery } from "@tollgate/contracts/management/usage.ts";
import { findSession } from "@tollgate/db/accounts/find-session.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import type { Caller } from "../caller.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { CallEvents, toEvent } from "./call-events.ts";
import { filterOf, runReport } from "./report-scope.ts";

const HEARTBEAT_MS = 15_000;
const MAX_MS = 15 * 60_000;
/** Maximum age of reported calls. Calls that started earlier aren't reported, even if they are settled now. */
const OLDEST_NEWS_MS = 24 * 3_600_000;

/**
 * Streams new calls as server-sent events shortly after they are recorded. Checks the reader's permissions at every
 * heartbeat.
 */
export const streamLogs = operation({
  ...read,
  id: "streamLogs",
  summary: "Stream requests as they complete",
  tag: "usage",
  path: "/api/gw/logs/stream",
  auth: "user",
  scope: "own",
  query: LogStreamQuery,
  answers: {
    200: {
      description: "Events: `call` as in the list, `skipped` with a `count` of requests beyond 50 per second, `end`",
      contentType: "text/event-stream",
    },
  },
  handle: async ({ caller, query, signal }, services) => {
    const events = new CallEvents(await readFilter(caller, query, services), () => performance.now());
    const stop = await services.callTail.watch({
      organizationId: caller.organization?.id as string,
      userId: caller.userId,
      onCalls: (calls, unread) => events.add(calls, unread),
      onEnd: () => events.end(),
    });
    if (stop === null) {
      throw new Failure(
        "RATE_LIMITED",
        "You can have at most five open request streams. Close one, or try again later.",
        { retryAfterMs: 10_000 },
      );
    }
    const leave = () => {
      stop();
      events.end();
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    return {
      status: 200,
      headers: { "cache-control": "no-cache", "x-accel-buffering": "no" },
      raw: {
        contentType: "text/event-stream",
        content: tell(events, () => readAgain(caller, query, services), stop),
      },
    };
  },
});

/** Yields the stream's text until the stream times out, or the reader disconnects or loses access. */
async function* tell(
  events: CallEvents,
  readFilterAgain: () => Promise<CallFilter | null>,
  stop: () => void,
): AsyncGenerator<string> {
  const endsAtMs = performance.now() + MAX_MS;
  try {
    yield ": connected\n\n";
    let beatAtMs = performance.now() + HEARTBEAT_MS;
    while (!events.isEnded && performance.now() < endsAtMs) {
      const text = await events.take(Math.max(0, beatAtMs - performance.now()));
      if (performance.now() < beatAtMs) {
        if (text !== "") yield text;
        continue;
      }
      // Check access before sending, because a slow reader may have lost access in the meantime.
      events.filter = await readFilterAgain();
      if (events.filter === null) break;
      yield `${text}: keep-alive\n\n`;
      beatAtMs = performance.now() + HEARTBEAT_MS;
    }
    yield toEvent("end", "{}");
  } finally {
    stop();
  }
}

function readFilter(caller: Caller, query: LogStreamQuery, services: Services): Promise<CallFilter> {
  const now = services.now().getTime();
  // The range extends beyond the stream's maximum duration, so that it includes all calls made during the stream.
  const range = { from: new Date(now - OLDEST_NEWS_MS), to: new Date(now + 2 * MAX_MS) };
  return runReport(caller, services, (transaction, scope) => filterOf(transaction, scope, range, query));
}

/** Reads the current filter. Returns null if the session has ended or the user has left the organization. */
async function readAgain(caller: Caller, query: LogStreamQuery, services: Services): Promise<CallFilter | null> {
  const id = caller.organization?.id ?? null;
  const session = await runUnauthenticated(services.db, (transaction) =>
    findSession(transaction, caller.sessionId, id),
  );
  const role = session?.organizationRole ?? null;
  const isOver = session === null || session.revokedAt !== null || session.expiresAt <= services.now();
  if (isOver || session.status !== "active" || session.organizationId !== id || id === null || role === null)
    return null;
  return readFilter({ ...caller, organization: { id, role } }, query, services);
}
