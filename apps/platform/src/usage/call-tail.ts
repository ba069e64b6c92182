import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { listNewCalls, type NewCall, readCallsByIds } from "@tollgate/db/usage/list-new-calls.ts";
import type { CallRow } from "@tollgate/db/usage/read-calls.ts";

/** Receives an organization's new calls. */
interface CallWatcher {
  readonly organizationId: string;
  readonly userId: number;
  /** Called with new calls, oldest first, and the number of additional calls that were not read. */
  onCalls(calls: readonly CallRow[], unread: number): void;
  /** Called when no further calls will be reported. */
  onEnd(): void;
}

/** Reports new calls shortly after they are recorded. One query reads the new calls for all watchers. */
export interface CallTail {
  /**
   * Registers a watcher, which receives calls once the promise resolves. Resolves to a function that removes the
   * watcher, or to null if there are too many watchers.
   */
  watch(watcher: CallWatcher): Promise<(() => void) | null>;
  /** Ends the tail for all watchers. */
  close(): void;
}

interface Sources {
  readonly db: Database;
  /** Called with the error if the database is unavailable. The query is retried. */
  readonly onAway: (error: unknown) => void;
}

const LOOK_EVERY_MS = 500;
const MAX_WATCHERS = 200;
const MAX_PER_USER = 5;
/** Maximum number of calls that one query reads per organization. */
const MAX_READ = 200;
/** How long listed calls are remembered. Must be longer than a call stays in the results of `listNewCalls`. */
const REMEMBERED_MS = 60_000;

export function createCallTail({ db, onAway }: Sources): CallTail {
  /** Watchers that are active or about to start. */
  const admitted = new Set<CallWatcher>();
  const watchers = new Set<CallWatcher>();
  /** Time at which each call was first listed. */
  const seen = new Map<string, number>();
  const closing = new AbortController();
  let isLooking = false;

  /** Returns and remembers the calls that have not been listed before. */
  function remember(calls: readonly NewCall[]): NewCall[] {
    const nowMs = performance.now();
    const fresh = calls.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.set(id, nowMs);
    for (const [id, atMs] of seen) {
      if (nowMs - atMs < REMEMBERED_MS) break;
      seen.delete(id);
    }
    return fresh;
  }

  async function lookAgainAndAgain(): Promise<void> {
    isLooking = true;
    while (watchers.size > 0 && !closing.signal.aborted) {
      await pause(LOOK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
      await look().catch(onAway);
    }
    isLooking = false;
    seen.clear();
  }

  async function look(): Promise<void> {
    const organizationIds = [...new Set([...watchers].map((watcher) => watcher.organizationId))];
    if (organizationIds.length === 0) return;
    const fresh = Map.groupBy(remember(await listNewCalls(db, organizationIds)), (call) => call.organizationId);
    for (const [organizationId, calls] of fresh) {
      const ids = calls.map(({ id }) => id).toSorted();
      const read = ids.slice(-MAX_READ);
      const rows = await runInOrganization(db, organizationId, (transaction) =>
        readCallsByIds(transaction, organizationId, read),
      );
      for (const watcher of watchers) {
        if (watcher.organizationId === organizationId) watcher.onCalls(rows, ids.length - read.length);
      }
    }
  }

  return {
    watch: async (watcher) => {
      const own = [...admitted].filter(({ userId }) => userId === watcher.userId);
      if (closing.signal.aborted || admitted.size >= MAX_WATCHERS || own.length >= MAX_PER_USER) return null;
      admitted.add(watcher);
      try {
        const isWatched = [...watchers].some(({ organizationId }) => organizationId === watcher.organizationId);
        // Calls that were settled before the watcher started aren't new.
        if (!isWatched) remember(await listNewCalls(db, [watcher.organizationId]));
      } catch (error) {
        admitted.delete(watcher);
        throw error;
      }
      watchers.add(watcher);
      if (!isLooking) void lookAgainAndAgain();
      return () => {
        admitted.delete(watcher);
        watchers.delete(watcher);
      };
    },
    close: () => {
      closing.abort();
      for (const watcher of watchers) watcher.onEnd();
      watchers.clear();
    },
  };
}
