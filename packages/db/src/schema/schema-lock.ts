import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import type { Report } from "./retry-locks.ts";

/** Thrown if another process is still migrating this database after the wait limit. */
export class MigrationRuns extends Error {
  constructor(holder: string, seconds: number) {
    super(
      `Another migration has been running on this database since ${holder}; waited ${seconds} s. No changes were made`,
    );
    this.name = "MigrationRuns";
  }
}

// An arbitrary number that every release must share.
const LOCK_KEY = 7_655_434;
const WAIT_LIMIT_MS = 60_000;
const POLL_MS = 200;
const TELL_EVERY_MS = 5_000;

/**
 * Takes the lock that serializes migrations. The lock is released when the connection closes. Polls instead of
 * blocking, because a concurrent index build waits for all running statements, so a blocked lock statement would
 * deadlock with the lock holder.
 */
export async function takeSchemaLock(client: Client, report: Report): Promise<void> {
  const startedAtMs = performance.now();
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  while (!(await tryLock(client))) {
    const nowMs = performance.now();
    const holder = await findLockHolder(client);
    if (nowMs - startedAtMs > WAIT_LIMIT_MS) throw new MigrationRuns(holder ?? "just now", WAIT_LIMIT_MS / 1_000);
    if (holder !== null && nowMs - reportedAtMs > TELL_EVERY_MS) {
      report({ kind: "lock held", holder });
      reportedAtMs = nowMs;
    }
    await pause(POLL_MS);
  }
}

/** Describes the process that is currently migrating this database, or returns null. */
export async function findLockHolder(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ holder: string }>(
    `select to_char(backend_start at time zone 'UTC', 'HH24:MI:SS') || ' UTC by "' || application_name
            || '" (database process ' || pid || ')' as holder
       from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and (classid, objid, objsubid) = (0, $1, 1)
        and database = (select oid from pg_database where datname = current_database())`,
    [LOCK_KEY],
  );
  return rows[0]?.holder ?? null;
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
  return rows[0]?.taken === true;
}
