import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { Client } from "pg";
import { expect } from "vitest";
import { readChangeNotification } from "../change-notifications.ts";
import type { Database } from "../connect.ts";
import { runInOrganization } from "../tenancy.ts";
import { expireGrants } from "./expire-grants.ts";
import { type NewEntry, postEntry } from "./post-entry.ts";
import { readQuota } from "./read-quota.ts";
import { settleUsage } from "./settle-usage.ts";

test("posts every kind of entry to its accounts, and the totals add up to the balance", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const { organizationId } = tenant;
  await settleUsage(worker, [makeUsageEvent(tenant, 300n)]);
  const entries = [
    ["purchase", 5_000n, "manual"],
    ["refund", 700n, "manual"],
    ["dispute", 400n, "stripe"],
    ["dispute_won", 150n, "stripe"],
    ["usage_reversal", 120n, undefined],
    ["expiry", 60n, undefined],
    ["adjustment", 33n, undefined],
    ["adjustment", -40n, undefined],
  ] as const;
  for (const [kind, amount, provider] of entries) {
    const entry = make(organizationId, kind, amount, `${kind}:${amount}`);
    await postEntry(worker, provider === undefined ? entry : { ...entry, provider });
  }
  expect(await readQuota(worker, organizationId)).toMatchObject({
    balance: 4_803n,
    totalPurchased: 5_000n,
    totalGranted: 1_000n,
    totalUsed: 180n,
    totalRefunded: 950n,
    totalExpired: 60n,
    totalAdjusted: -7n,
  });
  const { rows } = await sql`
    select t.kind, replace(p.source, ${organizationId}, 'own') as source, replace(p.destination, ${organizationId}, 'own') as destination, p.amount, t.balance_after
      from ledger_postings p join ledger_transactions t on t.id = p.transaction_id
     where t.organization_id = ${organizationId} order by t.created_at, t.id`.execute(worker);
  const own = "org:own:credits";
  expect(rows).toEqual(
    [
      ["grant", "ext:promo", own, 1_000n, 1_000n],
      ["usage", own, "sys:revenue", 300n, 700n],
      ["purchase", "ext:manual", own, 5_000n, 5_700n],
      ["refund", own, "ext:manual", 700n, 5_000n],
      ["dispute", own, "ext:stripe", 400n, 4_600n],
      ["dispute_won", "ext:stripe", own, 150n, 4_750n],
      ["usage_reversal", "sys:revenue", own, 120n, 4_870n],
      ["expiry", own, "ext:promo", 60n, 4_810n],
      ["adjustment", "ext:adjust", own, 33n, 4_843n],
      ["adjustment", own, "ext:adjust", 40n, 4_803n],
    ].map(([kind, source, destination, amount, balance_after]) => ({
      kind,
      source,
      destination,
      amount,
      balance_after,
    })),
  );
});

test("posts an entry once per idempotency key under concurrent requests", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 0n);
  const entry = { ...make(tenant.organizationId, "purchase", 500n, "once"), provider: "fake" } as const;
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => postEntry(worker, entry)));
  expect(outcomes.filter((outcome) => outcome.kind === "posted")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome.kind === "replayed")).toHaveLength(11);
  expect(new Set(outcomes.map((outcome) => outcome.kind !== "key_reused" && outcome.transactionId)).size).toBe(1);
  expect((await readQuota(worker, tenant.organizationId))?.balance).toBe(500n);
});

test("rejects an idempotency key that was used for a different entry", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 0n);
  const other = await addTenant(database.connect("tollgate_platform"));
  const entry = make(tenant.organizationId, "grant", 500n, "reused");
  await postEntry(worker, entry);
  const changes: Partial<NewEntry>[] = [
    { amount: 501n },
    { kind: "adjustment" },
    { organizationId: other.organizationId },
    { reference: "another" },
    { expiresAt: new Date() },
  ];
  for (const change of changes) {
    expect(await postEntry(worker, { ...entry, ...change, idempotencyKey: entry.idempotencyKey })).toEqual({
      kind: "key_reused",
    });
  }
  expect((await readQuota(worker, tenant.organizationId))?.balance).toBe(500n);
  expect((await readQuota(worker, other.organizationId))?.balance).toBe(0n);
});

test.for([
  ["no amount", { amount: 0n }],
  ["a negative purchase", { kind: "purchase", amount: -1n, provider: "fake" }],
  ["a purchase without a payment provider", { kind: "purchase" }],
  ["more given back than was used", { kind: "usage_reversal" }],
  ["a key of settlement", { idempotencyKey: "usage:00000000-0000-7000-8000-000000000000" }],
  ["an unknown organization", { organizationId: "org_00000000000000000000000000" }],
] as const)("throws for %s", async ([, change], { database }) => {
  const { worker, tenant } = await addPayingTenant(database, 0n);
  await expect(postEntry(worker, { ...make(tenant.organizationId, "grant", 5n, "bad"), ...change })).rejects.toThrow();
  expect((await readQuota(worker, tenant.organizationId))?.version).toBe(0n);
});

test("a debit recalls idle credit, and new credit triggers a notification", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const { organizationId } = tenant;
  const notices: unknown[] = [];
  const listener = new Client({ connectionString: database.connectionString });
  await listener.connect();
  listener.on("notification", ({ payload }) => notices.push(readChangeNotification(payload ?? "")));
  await listener.query("listen tollgate_notice");
  await postEntry(worker, make(organizationId, "adjustment", -10n, "less"));
  expect(await readQuota(worker, organizationId)).toMatchObject({ mode: "exact" });
  await postEntry(worker, make(organizationId, "adjustment", 10n, "more"));
  await expect
    .poll(() => notices)
    .toEqual([
      { kind: "recall", organizationId, recall: 1, allowance: { kind: "credit" }, nodes: null },
      { kind: "credit", organizationId },
    ]);
  await listener.end();
});

test("spends the credit that expires first, and takes back the rest fifteen minutes after it expires", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const { organizationId } = tenant;
  const soon = new Date(Date.now() + 60_000);
  const later = new Date(Date.now() + 120_000);
  await postEntry(worker, { ...make(organizationId, "grant", 300n, "later"), expiresAt: later });
  await postEntry(worker, { ...make(organizationId, "grant", 200n, "soon"), expiresAt: soon });
  await settleUsage(worker, [makeUsageEvent(tenant, 250n)]);
  expect(await readLots(worker, organizationId)).toEqual([0n, 250n]);

  const grace = 15 * 60_000;
  expect(await expireGrants(worker, new Date(later.getTime() + grace - 1))).toBe(0);
  expect(await expireGrants(worker, new Date(later.getTime() + grace + 1))).toBe(1);
  expect(await expireGrants(worker, new Date(later.getTime() + grace + 1))).toBe(0);
  expect(await readLots(worker, organizationId)).toEqual([0n, 0n]);
  expect(await readQuota(worker, organizationId)).toMatchObject({ balance: 1_000n, totalExpired: 250n });
});

test("counts the part of a grant that covers a debt as spent", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 0n);
  const { organizationId } = tenant;
  await settleUsage(worker, [makeUsageEvent(tenant, 70n)]);
  await postEntry(worker, { ...make(organizationId, "grant", 100n, "debt"), expiresAt: new Date(Date.now() + 60_000) });
  expect(await readLots(worker, organizationId)).toEqual([30n]);
});

test("lets the platform post only to the organization it acts for", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const [own, foreign] = [await addTenant(platform), await addTenant(platform)];
  const grant = (organizationId: string) => make(organizationId, "grant", 5n, "platform");
  const outcome = await runInOrganization(platform, own.organizationId, (inside) =>
    postEntry(inside, grant(own.organizationId)),
  );
  expect(outcome.kind).toBe("posted");
  const intrusion = runInOrganization(platform, own.organizationId, (inside) =>
    postEntry(inside, grant(foreign.organizationId)),
  );
  await expect(intrusion).rejects.toThrow("is not the one this connection acts for");
  await expect(postEntry(platform, grant(own.organizationId))).rejects.toThrow("acts for");
});

function make(organizationId: string, kind: NewEntry["kind"], amount: bigint, name: string): NewEntry {
  return { kind, organizationId, amount, idempotencyKey: `${kind}:${organizationId}:${name}`, actor: "system" };
}

async function readLots(db: Database, organizationId: string): Promise<bigint[]> {
  const rows = await db
    .selectFrom("grant_lots")
    .select("remaining")
    .where("organization_id", "=", organizationId)
    .orderBy("expires_at")
    .execute();
  return rows.map((row) => row.remaining);
}
