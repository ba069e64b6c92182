import { type RawBuilder, sql } from "kysely";
import type { Database } from "../connect.ts";

/** Records deleted per statement. Deleting a thread cascades to its messages, runs, and steps. */
const BATCH = 50;

/**
 * Deletes the assistants, threads, and responses of deleted teams and closed organizations, and returns the number of
 * deleted records. Polls instead of reacting to a notification, so that it also finds records that a gateway wrote just
 * before it learned of the deletion.
 */
export async function eraseEndedOwners(db: Database): Promise<number> {
  let erased = 0;
  for (const table of [sql`threads`, sql`assistants`, sql`responses`]) {
    erased += await eraseAll(
      db,
      table,
      sql`select record.ctid from teams join ${table} record on record.owner = 'team:' || teams.id
           where teams.deleted_at is not null`,
    );
    erased += await eraseAll(
      db,
      table,
      sql`select record.ctid from organizations join ${table} record on record.organization_id = organizations.id
           where organizations.status = 'closed'`,
    );
  }
  return erased;
}

async function eraseAll(db: Database, table: RawBuilder<unknown>, ended: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${table} where ctid = any (array(${ended} limit ${BATCH}))`.execute(db);
    total += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return total;
  }
}
