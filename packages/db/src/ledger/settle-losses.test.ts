import type { LostAttempt, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeLostAttempt, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { runAsAdministrator, runInOrganization } from "../tenancy.ts";
import { readQuota } from "./read-quota.ts";
import { redriveEvent, settleUsage } from "./settle-usage.ts";
import { writeEvents } from "./write-events.ts";

const CREDIT = 1_000_000n;

test("lost attempts are posted to the loss account once, and the customer pays only for the last attempt", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, CREDIT);
  const before = await readLossAccount(worker);
  const lostAttempts = [makeLostAttempt(30n), makeLostAttempt(50n, { reason: "malformed", provider: "anthropic" })];
  const event = makeUsageEvent(tenant, 100n, { lostAttempts });
  const plain = makeUsageEvent(tenant, 7n);
  const first = await settleUsage(worker, [plain, event, event]);
  expect([...first.values()]).toEqual(["settled", "settled"]);
  expect(await settleUsage(worker, [event])).toEqual(new Map([[event.id, "known"]]));

  expect((await readQuota(worker, tenant.organizationId))?.balance).toBe(CREDIT - 107n);
  expect((await readLossAccount(worker)) - before).toBe(-80n);
  const rows = await readLostAttempts(worker, event);
  expect(rows).toMatchObject([
    {
      seq: 1,
      reason: "retry",
      provider: "openai",
      cost: 30n,
      input_tokens: 30n,
      organization_id: tenant.organizationId,
    },
    { seq: 2, reason: "malformed", provider: "anthropic", cost: 50n, input_tokens: 50n },
  ]);
  const [{ transaction_id: transactionId }] = rows as [{ transaction_id: string }];
  expect(rows[1]?.transaction_id).toBe(transactionId);
  const entries = await querySql<Record<string, unknown>>(
    database.connectionString,
    `select kind, organization_id, idempotency_key, source, destination, amount
       from ledger_transactions join ledger_postings on transaction_id = id where id = '${transactionId}'`,
  );
  expect(entries).toEqual([
    {
      kind: "loss",
      organization_id: null,
      idempotency_key: `loss:${event.id}`,
      source: "sys:loss",
      destination: "sys:revenue",
      amount: "80",
    },
  ]);
});

test("the part of a call's price above its hold is the operator's loss, and the customer pays the remainder", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, CREDIT);
  const before = await readLossAccount(worker);
  const usage = { ...NO_USAGE, inputTokens: 140 };
  const event = makeUsageEvent(tenant, 100n, { usage, loss: 40n });
  expect(await settleUsage(worker, [event])).toEqual(new Map([[event.id, "settled"]]));
  expect((await readQuota(worker, tenant.organizationId))?.balance).toBe(CREDIT - 100n);
  expect((await readLossAccount(worker)) - before).toBe(-40n);
  const { rows } = await sql<{ loss: bigint; kind: string; rollup: bigint }>`
    select event.loss, entry.kind,
      (select sum(cost)::bigint from usage_rollups where organization_id = ${tenant.organizationId}) as rollup
    from usage_events event join ledger_transactions entry on entry.id = event.loss_transaction_id
    where event.id = ${event.id}`.execute(worker);
  expect(rows).toEqual([{ loss: 40n, kind: "loss", rollup: 100n }]);
});

test("losses from unbilled calls are recorded but not posted", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, CREDIT);
  const before = await readLossAccount(worker);
  const unbilled = { isBilled: false, hold: 0n, lostAttempts: [makeLostAttempt(9n)] };
  const ownKey = makeUsageEvent(tenant, 5n, { ...unbilled, organizationId: null, teamId: null });
  const billingOff = makeUsageEvent(tenant, 5n, { ...unbilled, loss: 2n, usage: { ...NO_USAGE, inputTokens: 7 } });
  const outcomes = await settleUsage(worker, [ownKey, billingOff]);
  expect([...outcomes.values()]).toEqual(["settled", "settled"]);
  for (const event of [ownKey, billingOff])
    expect(await readLostAttempts(worker, event)).toMatchObject([{ cost: 9n, transaction_id: null }]);
  expect(await readLossAccount(worker)).toBe(before);
});

const faults: readonly { what: string; changes: Partial<UsageEvent>; reason: string }[] = [
  { what: "a loss that its price does not give", changes: { loss: 1n }, reason: "cost is not what its price" },
  { what: "a loss below zero", changes: { loss: -1n }, reason: "a number is out of bounds" },
  {
    what: "a loss that exceeds every bound",
    changes: { loss: 10n ** 16n },
    reason: "a number is out of bounds",
  },
  ...(
    [
      [
        "cost that its price does not give",
        { cost: 31n },
        "cost of a lost attempt is not what its price version gives",
      ],
      ["no cost", { cost: 0n, usage: NO_USAGE }, "a number of a lost attempt is out of bounds"],
      ["fewer tokens than none", { usage: { ...NO_USAGE, inputTokens: -30 } }, "a number of a lost attempt is out of"],
      ["an unknown price version", { priceVersionId: "price_x" }, "unknown price version of a lost attempt"],
      ["an unknown reason", { reason: "bored" as never }, "unknown reason of a lost attempt"],
    ] as const
  ).map(([what, changes, reason]) => ({
    what: `a lost attempt with ${what}`,
    changes: { lostAttempts: [makeLostAttempt(20n), makeLostAttempt(30n, changes as Partial<LostAttempt>)] },
    reason,
  })),
  {
    what: "more lost attempts than a record holds",
    changes: { lostAttempts: Array.from({ length: 17 }, () => makeLostAttempt(1n)) },
    reason: "too many lost attempts",
  },
];

test.for(faults)("parks $what and posts no ledger entry for it", async ({ changes, reason }, { database }) => {
  const { worker, tenant } = await addPayingTenant(database, CREDIT);
  const before = await readLossAccount(worker);
  const event = makeUsageEvent(tenant, 100n, changes);
  const good = makeUsageEvent(tenant, 1n);
  expect(await settleUsage(worker, [event, good])).toEqual(
    new Map([
      [event.id, "parked"],
      [good.id, "settled"],
    ]),
  );
  const { rows } = await sql<{ reason: string }>`select reason from parked_events where id = ${event.id}`.execute(
    worker,
  );
  expect(rows[0]?.reason).toContain(reason);
  expect(await readLossAccount(worker)).toBe(before);
  expect(await readLostAttempts(worker, event)).toEqual([]);
});

test("a parked call retains its losses, which are posted on redrive", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, CREDIT);
  const event = makeUsageEvent(tenant, 100n, {
    usage: { ...NO_USAGE, inputTokens: 140 },
    loss: 40n,
    lostAttempts: [makeLostAttempt(30n)],
  });
  await park(database, event);
  const before = await readLossAccount(worker);
  expect(await redriveEvent(worker, event.id)).toBe("settled");
  expect((await readLossAccount(worker)) - before).toBe(-70n);
  expect(await readLostAttempts(worker, event)).toMatchObject([{ cost: 30n }]);
});

test("an organization can't see losses, and an administrator can see all of them", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, CREDIT);
  await settleUsage(worker, [makeUsageEvent(tenant, 100n, { lostAttempts: [makeLostAttempt(30n)] })]);
  const platform = database.connect("tollgate_platform");
  const count = sql<{ attempts: bigint; entries: bigint }>`
    select (select count(*) from lost_attempts where organization_id = ${tenant.organizationId}) as attempts,
      (select count(*) from ledger_transactions where kind = 'loss') as entries`;
  const inside = await runInOrganization(platform, tenant.organizationId, (transaction) => count.execute(transaction));
  expect(inside.rows).toEqual([{ attempts: 0n, entries: 0n }]);
  const outside = await runAsAdministrator(platform, (transaction) => count.execute(transaction));
  expect(outside.rows[0]?.attempts).toBe(1n);
  expect(outside.rows[0]?.entries).toBeGreaterThan(0n);
});

test("losses are the only entries without an organization, and no other entry can use their idempotency keys", async ({
  database,
}) => {
  const { tenant } = await addPayingTenant(database, CREDIT);
  const insert = (kind: string, organization: string, key: string) =>
    querySql(
      database.connectionString,
      `insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
       values ('txn_00000000000000000000000000', '${kind}', ${organization}, '${key}', 'system', 0)`,
    );
  await expect(insert("grant", "null", "grant:x")).rejects.toThrow("ledger_transactions_loss_check");
  await expect(insert("loss", `'${tenant.organizationId}'`, "loss:x")).rejects.toThrow(
    "ledger_transactions_loss_check",
  );
  await expect(insert("grant", `'${tenant.organizationId}'`, "loss:x")).rejects.toThrow(
    "ledger_transactions_loss_check",
  );
});

async function readLossAccount(db: Database): Promise<bigint> {
  const { rows } = await sql<{ balance: bigint }>`
    select coalesce(-sum(amount), 0)::bigint as balance from ledger_postings where source = 'sys:loss'`.execute(db);
  return rows[0]?.balance ?? 0n;
}

async function readLostAttempts(db: Database, { id }: UsageEvent): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select * from lost_attempts where event_id = ${id} order by seq`.execute(db);
  return rows;
}

async function park(database: TestDatabase, event: UsageEvent): Promise<void> {
  const worker = database.connect("tollgate_worker");
  await sql`select park_event(${writeEvents([event])}::jsonb -> 0, 'test')`.execute(worker);
}
