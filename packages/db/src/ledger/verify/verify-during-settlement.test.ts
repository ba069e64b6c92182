import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { postSystemCredit } from "../../credits/post-system-credit.ts";
import { ensurePriceVersions } from "../price-versions.ts";
import { settleUsage } from "../settle-usage.ts";
import { findBrokenInvariants } from "./find-broken-invariants.ts";
import { MODEL, makeEvent, PRICE } from "./ledger-history.fixture.ts";

const MIN_RUN_MS = 5_000;
/** Number of different totals that the checks must see, so that they have seen a growing history. */
const MIN_TOTALS = 4;
const BATCH = 50;

test("reports no differences while calls are settled and entries are posted concurrently", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const worker = database.connect("tollgate_worker");
  const version = { id: priceVersionId(MODEL, PRICE), model: MODEL, price: PRICE };
  await ensurePriceVersions(worker, [version]);
  const tenants = await Promise.all([1, 2, 3, 4, 5].map(() => addTenant(platform, { credit: 10n ** 12n })));
  const untilMs = performance.now() + MIN_RUN_MS;
  let isOver = false;

  const settleOn = async (seed: number) => {
    const settler = database.connect("tollgate_worker");
    const nodeId = makePrefixedId("node", Date.now());
    let settled = 0;
    for (let round = 0; !isOver; round += 1) {
      const events = Array.from({ length: BATCH }, (_, index) =>
        makeEvent({
          tenant: tenants[(index + round + seed) % tenants.length] as (typeof tenants)[number],
          atMs: Date.now(),
          outputTokens: 10 * index,
          nodeId,
          priceVersionId: version.id,
        }),
      );
      const outcomes = await settleUsage(settler, events);
      settled += [...outcomes.values()].filter((outcome) => outcome === "settled").length;
    }
    return settled;
  };
  const postEntries = async () => {
    for (let round = 0; !isOver; round += 1) {
      const { organizationId } = tenants[round % tenants.length] as (typeof tenants)[number];
      const amount = round % 2 === 0 ? 5n : -3n;
      const adjustment = { kind: "adjustment", organizationId, amount, idempotencyKey: `adjust:${round}` } as const;
      await worker
        .transaction()
        .execute((transaction) => postSystemCredit(transaction, { ...adjustment, reason: "Test" }));
    }
  };
  const verifyAgainAndAgain = async () => {
    const seen = new Set<bigint>();
    while (performance.now() < untilMs || seen.size < MIN_TOTALS) {
      const report = await findBrokenInvariants(worker);
      expect(report.checks.flatMap(({ id, differences }) => differences.map((found) => ({ id, ...found })))).toEqual(
        [],
      );
      seen.add(report.totals.events);
    }
  };
  const verifying = verifyAgainAndAgain().finally(() => {
    isOver = true;
  });
  const [one, other] = await Promise.all([settleOn(0), settleOn(1), verifying, postEntries()]);
  const { ok, totals } = await findBrokenInvariants(worker);
  expect({ ok, events: totals.events }).toEqual({ ok: true, events: BigInt(one + other) });
});
