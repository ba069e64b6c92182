import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeLostAttempt, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { runInOrganization } from "../tenancy.ts";
import { settleUsage } from "./settle-usage.ts";

const FINAL = ["price_versions", "ledger_transactions", "ledger_postings", "audit_log", "lost_attempts"] as const;
const TABLES = [
  ...FINAL,
  "ledger_accounts",
  "organization_quota",
  "grant_lots",
  "outbox",
  "usage_events",
  "parked_events",
  "usage_rollups",
  "usage_day_seals",
] as const;
const INSIDE = [
  "apply_balance_rules",
  "return_to_leases",
  "spend_lots",
  "settle_budgets",
  "add_to_rollups",
  "judge_events",
  "assess_events",
  "read_lost_attempts",
  "fault_of_lost_attempts",
  "post_loss",
  "keep_lost_attempts",
];

test.for(["tollgate_gateway", "tollgate_platform", "tollgate_worker"] as const)(
  "%s cannot write any ledger table",
  async (role, { database }) => {
    const db = database.connect(role);
    for (const table of TABLES) {
      for (const right of ["insert", "update", "delete", "truncate"]) {
        const { rows } = await sql`select has_table_privilege(${table}, ${right}) as may`.execute(db);
        expect({ table, right, rows }).toEqual({ table, right, rows: [{ may: false }] });
      }
    }
  },
);

test("not even the owner can change or delete posted rows", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 10n);
  await settleUsage(worker, [makeUsageEvent(tenant, 11n, { lostAttempts: [makeLostAttempt(3n)] })]);
  for (const table of FINAL) {
    const rows = await querySql<{ found: number }>(
      database.connectionString,
      `select count(*)::int as found from ${table}`,
    );
    expect(rows[0]?.found).toBeGreaterThan(0);
    const column = table === "ledger_postings" || table === "lost_attempts" ? "seq" : "id";
    for (const change of [
      `update ${table} set ${column} = ${column}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      await expect(querySql(database.connectionString, change)).rejects.toThrow("never changed or removed");
    }
  }
});

test("no role can call the ledger's internal functions", async ({ database }) => {
  const { rows } = await sql`
    select r.rolname, p.proname from pg_proc p, pg_roles r
     where p.proname = any (${INSIDE}) and r.rolname in ('tollgate_gateway', 'tollgate_platform', 'tollgate_worker')
       and has_function_privilege(r.oid, p.oid, 'execute')`.execute(database.connect("tollgate_worker"));
  expect(rows).toEqual([]);
  const known = await sql`select from pg_proc where proname = any (${INSIDE})`.execute(
    database.connect("tollgate_worker"),
  );
  expect(known.rows).toHaveLength(INSIDE.length);
  const settling = sql`select settle_usage('[]')`.execute(database.connect("tollgate_platform"));
  await expect(settling).rejects.toThrow("permission denied");
  const granting = sql`select expire_grants(now())`.execute(database.connect("tollgate_gateway"));
  await expect(granting).rejects.toThrow("permission denied");
});

test("shows an organization only its own ledger rows", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 10n);
  const { tenant: other } = await addPayingTenant(database, 10n);
  await settleUsage(worker, [
    makeUsageEvent(tenant, 11n),
    makeUsageEvent(other, 11n),
    makeUsageEvent(other, 3n, { cost: 2n }),
  ]);
  const platform = database.connect("tollgate_platform");
  const tables = [
    "ledger_transactions",
    "organization_quota",
    "outbox",
    "audit_log",
    "usage_events",
    "usage_rollups",
  ] as const;
  for (const table of tables) {
    const seen = await runInOrganization(platform, tenant.organizationId, (inside) =>
      inside.selectFrom(table).select("organization_id").distinct().execute(),
    );
    expect({ table, seen }).toEqual({ table, seen: [{ organization_id: tenant.organizationId }] });
    expect(await platform.selectFrom(table).select("organization_id").execute()).toEqual([]);
  }
  const [postings, parked] = await runInOrganization(platform, tenant.organizationId, async (inside) => [
    await inside.selectFrom("ledger_postings").select("amount").orderBy("amount").execute(),
    await inside.selectFrom("parked_events").select("id").execute(),
  ]);
  expect(postings).toEqual([{ amount: 10n }, { amount: 11n }]);
  expect(parked).toEqual([]);
});
