import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { anyPico, pricesOf, usagesUpTo } from "@tollgate/domain/pricing/prices.fixture.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, addTestPrice, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { findMissingEvents } from "./find-missing-events.ts";
import { ensurePriceVersions } from "./price-versions.ts";
import { readQuota } from "./read-quota.ts";
import { settleUsage } from "./settle-usage.ts";

test("settles each event once, regardless of repeated or concurrent deliveries and batching", async ({ database }) => {
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  const platform = database.connect("tollgate_platform");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ tenant: fc.nat(2), cost: fc.nat(1_000), times: fc.integer({ min: 1, max: 5 }) }), {
        minLength: 1,
        maxLength: 60,
      }),
      fc.infiniteStream(fc.nat(99)),
      async (calls, draws) => {
        const draw = () => draws.next().value;
        const tenants = [await addTenant(platform), await addTenant(platform), await addTenant(platform)] as const;
        const events = calls.map(({ tenant, cost }) => makeUsageEvent(tenants[tenant] as Tenant, BigInt(cost)));
        const deliveries = events
          .flatMap((event, index) => Array.from({ length: calls[index]?.times ?? 1 }, () => ({ event, place: draw() })))
          .sort((a, b) => a.place - b.place)
          .map(({ event }) => event);
        const parts = Map.groupBy(deliveries, () => draw() % 6);
        const answers = await Promise.all([...parts.values()].map((part) => settleUsage(worker, part)));

        for (const event of events) {
          const outcomes = answers.map((answer) => answer.get(event.id)).filter((outcome) => outcome !== undefined);
          expect(outcomes.filter((outcome) => outcome === "settled")).toHaveLength(1);
          expect(outcomes.every((outcome) => outcome === "settled" || outcome === "known")).toBe(true);
        }
        for (const tenant of tenants) await expectLedgerToEqual(worker, tenant, events);
      },
    ),
    { numRuns: 12 },
  );
});

test("several processes settle events for the same organizations concurrently without deadlocks", async ({
  database,
}) => {
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  const platform = database.connect("tollgate_platform");
  const tenants = await Promise.all(Array.from({ length: 12 }, () => addTenant(platform, { credit: 10n ** 9n })));
  const sent = new Map<string, ReturnType<typeof makeUsageEvent>>();
  const until = Date.now() + 3_000;
  const before = await countDeadlocks(worker);
  await Promise.all(
    [1, 2, 3].map(async (stride) => {
      for (let turn = 0; Date.now() < until; turn += 1) {
        const events = Array.from({ length: 60 }, (_, index) =>
          makeUsageEvent(tenants[(index * stride + turn) % tenants.length] as Tenant, BigInt(index)),
        );
        const again = [...sent.values()].slice(-20);
        const answer = await settleUsage(worker, [...again, ...events].reverse());
        for (const event of events) {
          expect(answer.get(event.id)).toBe("settled");
          sent.set(event.id, event);
        }
      }
    }),
  );
  expect(await countDeadlocks(worker)).toBe(before);
  for (const tenant of tenants) await expectLedgerToEqual(worker, tenant, [...sent.values()]);
});

test("stores only the first version of an event", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const first = makeUsageEvent(tenant, 10n);
  const second = makeUsageEvent(tenant, 20n, { id: first.id });
  expect((await settleUsage(worker, [first, second])).get(first.id)).toBe("settled");
  expect((await settleUsage(worker, [second])).get(first.id)).toBe("known");
  expect((await readQuota(worker, tenant.organizationId))?.balance).toBe(990n);
});

test("stores unbilled and free calls without a ledger entry", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const own = makeUsageEvent(tenant, 5n, { organizationId: null, teamId: null, isBilled: false });
  const free = makeUsageEvent(tenant, 0n);
  const unbilled = makeUsageEvent(tenant, 7n, { isBilled: false });
  const answer = await settleUsage(worker, [own, free, unbilled]);
  expect([...answer.values()]).toEqual(["settled", "settled", "settled"]);
  const { rows } =
    await sql`select from usage_events where id = any (${[own.id, free.id, unbilled.id]}::uuid[]) and transaction_id is null`.execute(
      worker,
    );
  expect(rows).toHaveLength(3);
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ balance: 1_000n, totalUsed: 0n });
});

test("settles calls with the operator's own key once, although no organization lock protects them", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 0n);
  const events = Array.from({ length: 40 }, () =>
    makeUsageEvent(tenant, 1n, { organizationId: null, teamId: null, isBilled: false }),
  );
  const answers = await Promise.all([1, 2, 3, 4].map(() => settleUsage(worker, events)));
  for (const { id } of events) {
    const outcomes = answers.map((answer) => answer.get(id));
    expect(outcomes.filter((outcome) => outcome === "settled")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "known")).toHaveLength(3);
  }
});

test("settles a call whose request ID contains characters that the database cannot store", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const event = makeUsageEvent(tenant, 10n, { requestId: "a\0b\ud800c" });
  expect((await settleUsage(worker, [event])).get(event.id)).toBe("settled");
  const { rows } = await sql`select request_id from usage_events where id = ${event.id}`.execute(worker);
  expect(rows).toEqual([{ request_id: "a\ufffdb\ufffdc" }]);
});

test("settles calls with every unit at their price version, and stores the calls' other data", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 10n ** 15n);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(pricesOf(anyPico), usagesUpTo(1_000_000)), { minLength: 1, maxLength: 8 }),
      async (calls) => {
        const versions = calls.map(([price]) => ({ id: priceVersionId("m", price), model: "m", price }));
        await ensurePriceVersions(worker, versions);
        const events = calls.map(([price, usage], index) =>
          makeUsageEvent(tenant, priceCall(usage, price), {
            usage,
            priceVersionId: priceVersionId("m", price),
            attempts: index,
            fallbackFrom: index % 2 === 0 ? "other" : null,
            endUser: index % 3 === 0 ? "ann\0" : null,
            session: index % 3 === 1 ? "task\0" : null,
            ...(index % 2 === 0 && { gatewayBeforeUs: 400 + index, queueUs: 0, failedUs: 7, gatewayAfterUs: 90 }),
          }),
        );
        const answer = await settleUsage(worker, events);
        expect([...answer.values()].every((outcome) => outcome === "settled")).toBe(true);
        const { rows } = await sql`
        select id, audio_input_tokens as "audioInputTokens", audio_output_tokens as "audioOutputTokens", characters,
               audio_ms as "audioMs", images, attempts, fallback_from as "fallbackFrom", end_user as "endUser", session,
               gateway_before_us as "gatewayBeforeUs", queue_us as "queueUs", failed_us as "failedUs",
               gateway_after_us as "gatewayAfterUs"
          from usage_events where id = any (${events.map(({ id }) => id)}::uuid[])
         order by array_position(${events.map(({ id }) => id)}::uuid[], id)`.execute(worker);
        expect(rows).toEqual(
          events.map(({ id, usage, attempts, fallbackFrom, endUser, session, ...event }) => ({
            id,
            audioInputTokens: BigInt(usage.audioInputTokens),
            audioOutputTokens: BigInt(usage.audioOutputTokens),
            characters: BigInt(usage.characters),
            audioMs: BigInt(usage.audioMs),
            images: BigInt(usage.images),
            attempts,
            fallbackFrom,
            endUser: endUser?.replace("\0", "\ufffd") ?? null,
            session: session?.replace("\0", "\ufffd") ?? null,
            gatewayBeforeUs: event.gatewayBeforeUs,
            queueUs: event.queueUs,
            failedUs: event.failedUs,
            gatewayAfterUs: event.gatewayAfterUs,
          })),
        );
      },
    ),
    { numRuns: 25 },
  );
});

test("settles an event from the previous release, which reports only tokens", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const event = makeUsageEvent(tenant, 10n);
  const { attempts, fallbackFrom, endUser, session, usage, ...timed } = event;
  const { gatewayBeforeUs, queueUs, failedUs, gatewayAfterUs, ...others } = timed;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, source } = usage;
  const tokens = { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, source };
  const text = JSON.stringify([{ ...others, usage: tokens }], (_, value) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  const { rows } = await sql`select outcome from settle_usage(${text}::json)`.execute(worker);
  expect(rows).toEqual([{ outcome: "settled" }]);
  const stored = await sql`
    select attempts, fallback_from, end_user, session, images, gateway_before_us, queue_us, failed_us, gateway_after_us
      from usage_events where id = ${event.id}`.execute(worker);
  const times = { gateway_before_us: null, queue_us: null, failed_us: null, gateway_after_us: null };
  expect(stored.rows).toEqual([
    { attempts: 1, fallback_from: null, end_user: null, session: null, images: 0n, ...times },
  ]);
});

test.for<[string, Partial<Usage>]>([
  ["more audio input tokens than input tokens", { inputTokens: 10, audioInputTokens: 11 }],
  [
    "more audio and reasoning tokens than output tokens",
    { outputTokens: 10, reasoningTokens: 6, audioOutputTokens: 5 },
  ],
  ["fewer than no images", { images: -1 }],
  ["more characters than there are", { characters: 2e12 }],
])("parks a call with %s", async ([, units], { database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const event = makeUsageEvent(tenant, 0n, { usage: { ...NO_USAGE, ...units }, priceVersionId: null });
  expect((await settleUsage(worker, [event])).get(event.id)).toBe("parked");
  const { rows } = await sql`select reason from parked_events where id = ${event.id}`.execute(worker);
  expect(rows).toEqual([{ reason: "a number is out of bounds" }]);
});

test("parks a call whose cost doesn't include every unit, and truncates long texts of the client", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const price = tokenPrice(1_000n, 1_000n, { perImage: 5_000n });
  const version = { id: priceVersionId("m", price), model: "m", price };
  await ensurePriceVersions(worker, [version]);
  const used = { usage: { ...NO_USAGE, inputTokens: 3, images: 2 }, priceVersionId: version.id };
  const [wrong, right] = [
    makeUsageEvent(tenant, 3n, used),
    makeUsageEvent(tenant, 13n, { ...used, endUser: "x".repeat(300), session: "s".repeat(300) }),
  ];
  const answer = await settleUsage(worker, [wrong, right]);
  expect([answer.get(wrong.id), answer.get(right.id)]).toEqual(["parked", "settled"]);
  const { rows } = await sql`
    select length(end_user) as "endUser", length(session) as session from usage_events where id = ${right.id}`.execute(
    worker,
  );
  expect(rows).toEqual([{ endUser: 200, session: 128 }]);
});

test("returns the positions of the events that the ledger does not contain, even if one is listed twice", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const [settled, unknown] = [makeUsageEvent(tenant, 1n), makeUsageEvent(tenant, 1n)];
  await settleUsage(worker, [settled]);
  const gateway = database.connect("tollgate_gateway");
  const ids = [settled, unknown, settled, unknown].map(({ id }) => id);
  expect(await findMissingEvents(gateway, ids.join(","))).toEqual([1, 3]);
  expect(await findMissingEvents(gateway, settled.id)).toEqual([]);
});

/** Asserts that the balance, postings, rows, and rollups match the cost of the tenant's events. */
async function expectLedgerToEqual(
  db: Database,
  { organizationId }: Tenant,
  events: readonly ReturnType<typeof makeUsageEvent>[],
): Promise<void> {
  const own = events.filter((event) => event.organizationId === organizationId);
  const cost = own.reduce((sum, event) => sum + event.cost, 0n);
  const quota = await readQuota(db, organizationId);
  expect(quota?.totalUsed).toBe(cost);
  expect(quota?.balance).toBe((quota?.totalGranted ?? 0n) - cost);
  const { rows } = await sql`
    select (select count(*) from usage_events where organization_id = ${organizationId}) as rows,
           (select coalesce(sum(cost), 0)::bigint from usage_events where organization_id = ${organizationId}) as cost,
           (select coalesce(sum(requests), 0)::bigint from usage_rollups where organization_id = ${organizationId}) as requests,
           (select coalesce(sum(cost), 0)::bigint from usage_rollups where organization_id = ${organizationId}) as rolled,
           (select coalesce(sum(amount), 0)::bigint from ledger_postings where source = ${`org:${organizationId}:credits`}) as posted,
           (select count(*) from usage_events e
              left join ledger_transactions t on t.id = e.transaction_id and t.organization_id = e.organization_id and t.kind = 'usage'
             where e.organization_id = ${organizationId} and (t.id is not null) <> (e.cost > 0)) as unnamed`.execute(
    db,
  );
  const count = BigInt(own.length);
  expect(rows).toEqual([{ rows: count, cost, requests: count, rolled: cost, posted: cost, unnamed: 0n }]);
}

async function countDeadlocks(db: Database): Promise<bigint> {
  const { rows } = await sql<{ deadlocks: bigint }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(db);
  return rows[0]?.deadlocks ?? 0n;
}
