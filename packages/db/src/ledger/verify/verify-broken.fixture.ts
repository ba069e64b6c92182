import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../../connect.ts";
import { type VerifyOptions, type VerifyReport, verifySnapshot } from "./find-broken-invariants.ts";

// Only the schema owner can run these statements, because no process role has the privileges for the changes below.
export const WITHOUT_GUARDS = `do $$
declare
  guard record;
begin
  for guard in select conrelid::regclass as owner, conname from pg_constraint where contype = 'f' and conparentid = 0 loop
    execute format('alter table %s drop constraint %I', guard.owner, guard.conname);
  end loop;
  for guard in select distinct tgrelid::regclass as owner from pg_trigger where not tgisinternal loop
    execute format('alter table %s disable trigger user', guard.owner);
  end loop;
  for guard in select oid::regclass as owner from pg_class where relforcerowsecurity loop
    execute format('alter table %s no force row level security', guard.owner);
  end loop;
end
$$`;

/** Verifies the ledger after these statements, then rolls them back. */
export async function verifyBroken(
  worker: Database,
  statements: string,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const undone = new Error("undone");
  let report: VerifyReport | null = null;
  const attempt = worker.transaction().execute(async (transaction) => {
    await sql`reset role`.execute(transaction);
    await sql.raw(statements).execute(transaction);
    await sql`set local role tollgate_worker`.execute(transaction);
    report = await verifySnapshot(transaction, options);
    throw undone;
  });
  await expect(attempt).rejects.toBe(undone);
  return report as unknown as VerifyReport;
}
