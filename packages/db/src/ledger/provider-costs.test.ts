import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { explainEvent } from "./explain-event.ts";
import { ensurePriceVersions } from "./price-versions.ts";
import { settleUsage } from "./settle-usage.ts";
import { closeDay, ensureUsagePartitions } from "./usage-partitions.ts";
import { findBrokenInvariants } from "./verify/find-broken-invariants.ts";
import { makeEvent, writeHistory } from "./verify/ledger-history.fixture.ts";

const DAY_MS = 86_400_000;
const MODEL = "acme/chat";
const bought = tokenPrice(1_000_000n, 2_000_000n);
const sold = tokenPrice(1_300_000n, 2_600_000n, { perRequest: 5_000_000n });
const costId = priceVersionId(MODEL, bought);
const soldId = priceVersionId(MODEL, sold, null, costId);

test("keeps the cost and the provider's cost of each call, and the rollups have the margin", async ({ database }) => {
  const { payer, nodeId, epoch } = await writeHistory(database);
  const db = database.connect("tollgate_worker");
  const version = { id: soldId, model: MODEL, price: sold, cost: { id: costId, model: MODEL, price: bought } };
  await ensurePriceVersions(db, [version]);
  await ensurePriceVersions(db, [version]);
  // Only a past day can be closed, and the history has closed yesterday.
  const atMs = Date.now() - 2 * DAY_MS;
  const day = new Date(atMs).toISOString().slice(0, 10);
  await ensureUsagePartitions(db, day, day);
  const made = makeEvent({ tenant: payer, atMs, outputTokens: 300, nodeId, epoch, fromLease: 0n });
  const usage = { ...made.usage, requestFees: 1 };
  const cost = priceCall(usage, sold);
  const providerCost = priceCall(usage, bought);
  const event = { ...made, usage, cost, hold: cost, priceVersionId: soldId, modelGroup: "sold" };
  expect((await settleUsage(db, [event])).get(event.id)).toBe("settled");

  expect(await explainEvent(db, event.id)).toMatchObject({ cost, providerCost, costVersionId: costId });
  const sum = "select sum(cost)::text as cost, sum(margin)::text as margin from";
  const expected = [{ cost: String(cost), margin: String(cost - providerCost) }];
  expect(await querySql(database.connectionString, `${sum} usage_rollups where model_group = 'sold'`)).toEqual(
    expected,
  );
  expect((await findBrokenInvariants(db)).ok).toBe(true);

  await querySql(database.connectionString, `update usage_events set provider_cost = 1 where id = '${event.id}'`);
  const { ok } = await findBrokenInvariants(db);
  expect(ok).toBe(false);
  await querySql(
    database.connectionString,
    `update usage_events set provider_cost = ${providerCost} where id = '${event.id}'`,
  );
  expect(await closeDay(db, day)).toBe("sealed");
  for (const table of ["usage_hours", "usage_days"]) {
    expect(await querySql(database.connectionString, `${sum} ${table} where model_group = 'sold'`)).toEqual(expected);
  }
});

test("rejects a price that names a cost which isn't part of its ID", async ({ database }) => {
  const db = database.connect("tollgate_worker");
  const version = {
    id: priceVersionId(MODEL, sold),
    model: MODEL,
    price: sold,
    cost: { id: costId, model: MODEL, price: bought },
  };
  await expect(ensurePriceVersions(db, [version])).rejects.toThrow("does not follow");
});
