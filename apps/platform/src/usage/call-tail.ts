import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { listNewCalls, type NewCall, readCallsByIds } from "@tollgate/db/usage/list-new-calls.ts";
import type { CallRow } from "@tollgate/db/usage/read-calls.ts";

/** Somebody who is told of an organization's new calls. */
export interface CallWatcher {
  readonly organizationId: string;
  readonly userId: number;
  /** Calls that became known, the earliest first, and how many more there were that nobody read. */
  onCalls(calls: readonly CallRow[], unread: number): void;
  /** Nothing will be told any more. */
  onEnd(): void;
}

/** Tells of calls as they become known. However many watch, new calls are looked for once. */
export interface CallTail {
  /** From when it resolves, calls are told. Null: there are too many who watch. */
  watch(watcher: CallWatcher): Promise<(() => void) | null>;
  /** Ends it for everybody. */
  close(): void;
}

interface Sources {
  readonly db: Database;
  /** The database could not be asked; it is asked again. */
  readonly onAway: (error: unknown) => void;
}

const LOOK_EVERY_MS = 500;
const MAX_WATCHERS = 200;
const MAX_PER_USER = 5;
/** So many calls of an organization are read at a time. */
const MAX_READ = 200;
/** Longer than a call is listed as new. */
const REMEMBERED_MS = 60_000;

export function createCallTail({ db, onAway }: Sources): CallTail {
  /** Everybody who watches or is about to. */
  const admitted = new Set<CallWatcher>();
  const watchers = new Set<CallWatcher>();
  /** When each call was first listed. */
  const seen = new Map<string, number>();
  const closing = new AbortController();
  let isLooking = false;

  /** Those that were not listed before. */
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
        // What is known already is not new.
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
