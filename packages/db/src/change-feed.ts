import { sql } from "kysely";
import { type Notice, readChangeNotification } from "./change-notifications.ts";
import type { Database } from "./connect.ts";

/** Where a read of the change feed ended. */
export interface FeedPosition {
  readonly server: string;
  readonly snapshot: string;
}

export interface ChangeFeedPage {
  readonly position: FeedPosition;
  /** The changes since the previous position; `everything` if some of them are unknown. */
  readonly changes: readonly Notice[];
}

/** More changes are treated as a change of everything, which takes a gateway less time. */
const MAX_CHANGES = 1_000;
/** The same for changes that each may affect many keys. A gateway goes through all of its keys for every one of them. */
const MAX_OWNER_CHANGES = 20;
const OWNERS: ReadonlySet<Notice["kind"]> = new Set(["team", "user", "organization"]);

/** Returns what changed since a position, in one query. Without a position, anything may have changed. */
export async function readChangeFeed(db: Database, since: FeedPosition | null): Promise<ChangeFeedPage> {
  const { rows } = await sql<FeedRow>`
    select server, snapshot, is_complete, changes from read_change_feed(
      ${since?.server ?? null}::text, ${since?.snapshot ?? null}::pg_snapshot, ${MAX_CHANGES})`.execute(db);
  const { server, snapshot, is_complete: isComplete, changes } = rows[0] as FeedRow;
  const known = changes.map(readChangeNotification);
  const isShort = known.filter(({ kind }) => OWNERS.has(kind)).length <= MAX_OWNER_CHANGES;
  return { position: { server, snapshot }, changes: isComplete && isShort ? known : [{ kind: "everything" }] };
}

/** Deletes changes that no gateway reads anymore. Returns their number. */
export async function pruneChangeFeed(db: Database): Promise<number> {
  const { rows } = await sql<{ removed: number }>`select prune_change_feed() as removed`.execute(db);
  return rows[0]?.removed ?? 0;
}

interface FeedRow {
  readonly server: string;
  readonly snapshot: string;
  readonly is_complete: boolean;
  readonly changes: readonly string[];
}
