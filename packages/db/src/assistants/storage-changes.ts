import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Changes added per transaction, so that none of them takes long. */
const BATCH = 10_000;

/** Reports whether there are changes of stored bytes that are not in the totals. */
export async function hasStorageChanges(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from stored_byte_changes) as found`.execute(db);
  return rows[0]?.found === true;
}

/** Adds all changes of stored bytes to the totals, so that reading them takes the same time however many there were. */
export async function addStorageChanges(db: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ changes: number }>`select add_stored_bytes(${BATCH}) as changes`.execute(db);
    if ((rows[0]?.changes ?? 0) < BATCH) return;
  }
}
