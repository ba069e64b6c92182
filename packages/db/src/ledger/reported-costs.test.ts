import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { compareReportedCosts } from "./compare-reported-costs.ts";
import { explainEvent } from "./explain-event.ts";
import { ensurePriceVersions } from "./price-versions.ts";
import { settleUsage } from "./settle-usage.ts";
import { findBrokenInvariants } from "./verify/find-broken-invariants.ts";
import { makeEvent, writeHistory } from "./verify/ledger-history.fixture.ts";

const MODEL = "openrouter/acme/chat";
const price = tokenPrice(1_000_000n, 2_000_000n);
const id = priceVersionId(MODEL, price);

test("keeps the cost that a provider reported, and margins and reports prefer it to the computed cost", async ({
  database,
}) => {
  const { payer, nodeId, epoch } = await writeHistory(database);
  const db = database.connect("tollgate_worker");
  await ensurePriceVersions(db, [{ id, model: MODEL, price }]);
  const make = (reportedCost: bigint | null) => {
    const made = makeEvent({ tenant: payer, atMs: Date.now(), outputTokens: 300, nodeId, epoch, fromLease: 0n });
    const usage = reportedCost === null ? made.usage : { ...made.usage, reportedCost };
    const cost = priceCall(made.usage, price);
    return { ...made, usage, cost, hold: cost, priceVersionId: id, modelGroup: "chat", provider: "openrouter" };
  };
  const events = [make(7n), make(5n), make(null)] as const;
  const { cost } = events[0];
  const settled = await settleUsage(db, events);
  expect(events.map((event) => settled.get(event.id))).toEqual(["settled", "settled", "settled"]);

  expect(await explainEvent(db, events[0].id)).toMatchObject({ cost, providerCost: null, reportedCost: 7n });
  expect(await explainEvent(db, events[2].id)).toMatchObject({ reportedCost: null });
  const sum = "select sum(margin)::text as margin from usage_rollups where model_group = 'chat'";
  expect(await querySql(database.connectionString, sum)).toEqual([{ margin: String(2n * cost - 12n) }]);
  expect((await findBrokenInvariants(db)).ok).toBe(true);

  const since = new Date(Date.now() - 60_000);
  expect(await compareReportedCosts(db, { since, limit: 10 })).toEqual([
    { provider: "openrouter", modelGroup: "chat", requests: 2, reported: 12n, computed: 2n * cost, revenue: 2n * cost },
  ]);
  expect(await compareReportedCosts(db, { since: new Date(Date.now() + 60_000), limit: 10 })).toEqual([]);
});
