import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { sql } from "kysely";

/**
 * Returns every row that belongs to an organization, from every table, as text. Omits columns that change on their own.
 */
export async function readTenant(
  platform: TestPlatform,
  organizationId: string,
): Promise<Record<string, readonly string[]>> {
  return runAsAdministrator(platform.services.db, async (transaction) => {
    const tables = await listTenantTables(transaction);
    const found: Record<string, readonly string[]> = {};
    for (const table of tables) {
      const { rows } = await sql<{ row: string }>`
        select (to_jsonb(t) - 'last_seen_at' - 'updated_at' - 'version')::text as row from ${sql.table(table)} t
        where organization_id = ${organizationId} order by 1`.execute(transaction);
      found[table] = rows.map(({ row }) => row);
    }
    return found;
  });
}

type Executor = Parameters<ReturnType<typeof sql>["execute"]>[0];

/** Returns the tables with a tenant column that the platform can read. */
export async function listTenantTables(executor: Executor): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and has_table_privilege('tollgate_platform', c.oid, 'select')
    order by 1`.execute(executor);
  return rows.map(({ name }) => name);
}
