import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "./connect.ts";
import { insertTeam } from "./teams/insert-team.ts";
import { runAsAdministrator, runInOrganization, type TenantTransaction } from "./tenancy.ts";

const TABLES = ["organizations", "teams", "api_keys"] as const;

test("the platform sees only one organization's rows, and no rows if no organization is set", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const [own] = [await addTenant(platform), await addTenant(platform)];
  for (const table of TABLES) {
    expect(await count(platform, table)).toBe(0);
    expect(await runInOrganization(platform, own.organizationId, (inside) => count(inside, table))).toBe(1);
    expect(await runAsAdministrator(platform, (inside) => count(inside, table))).toBeGreaterThan(1);
    // The access ends with the transaction, even though the connection returns to the pool.
    expect(await count(platform, table)).toBe(0);
  }
});

test("the platform cannot write to another organization", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const [own, foreign] = [await addTenant(platform), await addTenant(platform)];
  const team = { id: "team_00000000000000000000000000", organizationId: foreign.organizationId, name: "Intruders" };
  const insertion = runInOrganization(platform, own.organizationId, (inside) => insertTeam(inside, team));
  await expect(insertion).rejects.toThrow("row-level security");

  const changed = await runInOrganization(platform, own.organizationId, (inside) =>
    inside.updateTable("api_keys").set({ name: "stolen" }).where("id", "=", foreign.keyId).executeTakeFirst(),
  );
  expect(changed.numUpdatedRows).toBe(0n);
});

test.for(["tollgate_gateway", "tollgate_worker"] as const)(
  "%s can read but not change organizations, teams, and API keys",
  async (role, { database }) => {
    const tenant = await addTenant(database.connect("tollgate_platform"));
    const db = database.connect(role);
    for (const table of TABLES) {
      expect(await count(db, table)).toBeGreaterThan(0);
      await expect(db.updateTable(table).set({ name: "x" }).execute()).rejects.toThrow("permission denied");
      await expect(db.deleteFrom(table).execute()).rejects.toThrow("permission denied");
    }
    await expect(
      db.insertInto("organizations").values({ id: tenant.organizationId, name: "x" }).execute(),
    ).rejects.toThrow("permission denied");
  },
);

test("the platform cannot delete rows that usage and the ledger refer to", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  for (const table of TABLES) {
    const deletion = runAsAdministrator(platform, (inside) => inside.deleteFrom(table).execute());
    await expect(deletion).rejects.toThrow("permission denied");
  }
});

test("functions that run with the owner's rights are granted only to roles that need them, never to public", async ({
  database,
}) => {
  const open = await querySql(
    database.connectionString,
    `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prosecdef and n.nspname = current_schema() and p.prorettype <> 'trigger'::regtype
        and has_function_privilege('public', p.oid, 'execute')`,
  );
  expect(open).toEqual([]);
  const gateway = database.connect("tollgate_gateway");
  await expect(sql`select tollgate_user_email()`.execute(gateway)).rejects.toThrow("permission denied");
});

async function count(db: Database | TenantTransaction, table: (typeof TABLES)[number]): Promise<number> {
  const { rows } = await db.selectFrom(table).select(db.fn.countAll<bigint>().as("rows")).executeTakeFirstOrThrow();
  return Number(rows);
}
