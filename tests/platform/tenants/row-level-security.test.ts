import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";
import { furnish } from "./furnish.ts";
import { listTenantTables } from "./read-tenant.ts";

/** Tables that belong to the operator and contain no tenant rows. */
const OF_NO_TENANT = new Set([
  "schema_migrations",
  "schema_functions",
  "schema_migration_failures",
  "gateway_nodes",
  "price_versions",
  "providers",
  "catalogue_models",
]);

test("a query without a tenant filter sees only its own tenant's rows, in every table", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const own = await furnish(platform, database, "QUINCE");
  await furnish(platform, database, "MEDLAR");
  const { db } = platform.services;
  const rowsSeen: Record<string, number> = {};
  await runInOrganization(db, own.organizationId, async (transaction) => {
    for (const table of await listTenantTables(transaction)) {
      const { rows } = await sql<{ organization_id: string | null }>`
        select organization_id from ${sql.table(table)}`.execute(transaction);
      const strangers = rows.filter(({ organization_id }) => organization_id !== own.organizationId);
      expect(strangers, table).toEqual(table === "ledger_accounts" ? strangers.filter(isSystem) : []);
      rowsSeen[table] = rows.length;
    }
  });
  // If there were no rows to read, the test would prove nothing.
  const furnished = [
    "teams",
    "team_members",
    "organization_members",
    "api_keys",
    "invitations",
    "purchases",
    "usage_events",
  ];
  for (const table of [...furnished, "audit_log", "webhooks"]) expect(rowsSeen[table], table).toBeGreaterThan(0);
  for (const table of Object.keys(rowsSeen)) {
    const { rows } = await sql<{
      organization_id: string | null;
    }>`select organization_id from ${sql.table(table)}`.execute(db);
    expect(
      rows.filter(({ organization_id }) => organization_id !== null),
      `${table}, without a user`,
    ).toEqual([]);
  }
});

test("row-level security is enabled and forced for every tenant table", async ({ database }) => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and not (relrowsecurity and relforcerowsecurity)`.execute(database.connect("tollgate_worker"));
  expect(rows.map(({ name }) => name).filter((name) => !OF_NO_TENANT.has(name))).toEqual([]);
});

const isSystem = ({ organization_id }: { organization_id: string | null }): boolean => organization_id === null;
