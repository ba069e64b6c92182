import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { blockByOperator } from "../teams/block-by-operator.ts";
import { insertTeam } from "../teams/insert-team.ts";
import { runInOrganization } from "../tenancy.ts";
import { postEntry } from "./post-entry.ts";
import { readQuota } from "./read-quota.ts";
import { settleUsage } from "./settle-usage.ts";

test("a balance below zero blocks all teams, a zero balance doesn't, and paying the debt unblocks them", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 100n);
  const { organizationId } = tenant;
  await settleUsage(worker, [makeUsageEvent(tenant, 100n)]);
  expect(await readQuota(worker, organizationId)).toMatchObject({ balance: 0n });
  expect(await readTeams(worker, organizationId)).toEqual([{ status: "active", reason: null }]);

  await settleUsage(worker, [makeUsageEvent(tenant, 1n)]);
  expect(await readTeams(worker, organizationId)).toEqual([{ status: "blocked", reason: "negative_balance" }]);
  expect(await readOutbox(worker, organizationId)).toEqual(["balance.negative", "team.blocked"]);

  // In-flight calls still settle, but emit no new events.
  await settleUsage(worker, [makeUsageEvent(tenant, 9n)]);
  const part = await postEntry(worker, purchase(organizationId, "part", 9n));
  expect(part).toMatchObject({ kind: "posted", balance: -1n, shortfall: 1n, unblockedTeams: [] });
  expect(await readTeams(worker, organizationId)).toEqual([{ status: "blocked", reason: "negative_balance" }]);

  const rest = await postEntry(worker, purchase(organizationId, "rest", 1n));
  expect(rest).toMatchObject({ kind: "posted", balance: 0n, shortfall: 0n, unblockedTeams: [tenant.teamId] });
  expect(await readTeams(worker, organizationId)).toEqual([{ status: "active", reason: null }]);
  expect(await readOutbox(worker, organizationId)).toEqual(["balance.negative", "team.blocked", "team.unblocked"]);
});

test("a team blocked by an administrator stays blocked", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 10n);
  const { organizationId, teamId } = tenant;
  const platform = database.connect("tollgate_platform");
  await runInOrganization(platform, organizationId, (inside) => blockByOperator(inside, teamId, new Date()));
  await settleUsage(worker, [makeUsageEvent(tenant, 11n)]);
  await postEntry(worker, purchase(organizationId, "all", 100n));
  expect(await readTeams(worker, organizationId)).toEqual([{ status: "blocked", reason: "admin" }]);
});

test("no team in an organization with debt can become active", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 10n);
  const { organizationId, teamId } = tenant;
  const platform = database.connect("tollgate_platform");
  await settleUsage(worker, [makeUsageEvent(tenant, 11n)]);
  await runInOrganization(platform, organizationId, async (inside) => {
    await insertTeam(inside, { id: makePrefixedId("team", Date.now()), organizationId, name: "Late" });
    await inside
      .updateTable("teams")
      .set({ status: "active", blocked_at: null, blocked_reason: null })
      .where("id", "=", teamId)
      .execute();
  });
  const blocked = { status: "blocked", reason: "negative_balance" };
  expect(await readTeams(worker, organizationId)).toEqual([blocked, blocked]);
});

test("creating a team waits for a concurrent ledger entry that may block the team", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 10n);
  const { organizationId } = tenant;
  const platform = database.connect("tollgate_platform");
  const late = { id: makePrefixedId("team", Date.now()), organizationId, name: "Late" };
  let insertion = Promise.resolve();
  await worker.transaction().execute(async (transaction) => {
    await postEntry(transaction, refund(organizationId, 11n));
    insertion = runInOrganization(platform, organizationId, (inside) => insertTeam(inside, late));
    await expect.poll(() => countWaiting(worker)).toBe(1n);
  });
  await insertion;
  expect((await readTeams(worker, organizationId)).map((team) => team.status)).toEqual(["blocked", "blocked"]);
});

test("sends one low-balance event when the balance drops below the threshold", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 100n);
  const { organizationId } = tenant;
  await querySql(
    database.connectionString,
    `update organization_quota set low_balance_threshold = 50 where organization_id = '${organizationId}'`,
  );
  for (const cost of [50n, 1n, 1n]) await settleUsage(worker, [makeUsageEvent(tenant, cost)]);
  expect(await readOutbox(worker, organizationId)).toEqual(["balance.low"]);
});

test("records blocks and unblocks in a hash chain that reveals a missing row", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1n);
  const { organizationId, teamId } = tenant;
  await settleUsage(worker, [makeUsageEvent(tenant, 2n)]);
  await postEntry(worker, purchase(organizationId, "chain", 5n));
  const { rows } = await sql`
    select seq, action, target ->> 'id' as team, previous_hash is not distinct from lag(hash) over (order by seq) as chained,
           hash = audit_hash(previous_hash, id, organization_id, seq, at, actor, action, target, request_id, before, after) as true
      from audit_log where organization_id = ${organizationId} order by seq`.execute(worker);
  const whole = { chained: true, true: true };
  expect(rows).toEqual([
    { seq: 1n, action: "credits.granted", team: organizationId, ...whole },
    { seq: 2n, action: "team.blocked", team: teamId, ...whole },
    { seq: 3n, action: "team.unblocked", team: teamId, ...whole },
  ]);
});

function purchase(organizationId: string, name: string, amount: bigint) {
  const idempotencyKey = `purchase:${organizationId}:${name}`;
  return { kind: "purchase", organizationId, amount, idempotencyKey, provider: "fake", actor: "system" } as const;
}

function refund(organizationId: string, amount: bigint) {
  return { ...purchase(organizationId, "refund", amount), kind: "refund" } as const;
}

async function readTeams(db: Database, organizationId: string): Promise<{ status: string; reason: string | null }[]> {
  return db
    .selectFrom("teams")
    .select(["status", "blocked_reason as reason"])
    .where("organization_id", "=", organizationId)
    .execute();
}

async function readOutbox(db: Database, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("outbox")
    .select("type")
    .where("organization_id", "=", organizationId)
    .orderBy("id")
    .execute();
  return rows.map((row) => row.type);
}

async function countWaiting(db: Database): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from pg_locks l join pg_stat_activity a using (pid) where not granted and a.datname = current_database()`.execute(
    db,
  );
  return rows[0]?.count ?? 0n;
}
