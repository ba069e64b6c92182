import { type RawBuilder, sql } from "kysely";
import type { Database } from "../connect.ts";

/** How many records one statement deletes; of threads their messages, runs and steps go with them. */
const BATCH = 50;

/**
 * Deletes the assistants, threads and responses of teams that were deleted and of organizations that were closed, and returns how many
 * that was. Looked up instead of told, so that what a gateway wrote just before it heard of the end is found as well.
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
