import fc from "fast-check";
import { expect, test } from "vitest";
import { NANO_PER_CENT } from "../money.ts";
import { type PurchaseTerms, resolvePurchase, type StoredEvent } from "./resolve-purchase.ts";

const terms: PurchaseTerms = { id: "pur_1", organizationId: "org_1", amount: 1_000n * NANO_PER_CENT };

const head = fc.record({
  at: fc.integer({ min: 0, max: 5 }).map((second) => new Date(second * 1_000)),
  isForeign: fc.constant(false),
});
const report = fc.record({
  kind: fc.constantFrom("paid", "processing", "failed", "expired"),
  purchaseId: fc.constant("pur_1"),
  organizationId: fc.constantFrom("org_1", "org_1", "org_1", "org_2"),
  sessionId: fc.constant("cs_1"),
  paymentId: fc.constantFrom("pi_1", "pi_1", "pi_2", null),
  amountMinor: fc.constantFrom(1_000n, 1_000n, 1_000n, 999n),
  taxMinor: fc.constantFrom(0n, 19n),
  currency: fc.constantFrom("usd", "usd", "eur"),
});
const refund = fc.bigInt({ min: 1n, max: 1_001n }).map((refundedMinor) => ({
  kind: "refunded" as const,
  purchaseId: null,
  paymentId: "pi_1",
  refundedMinor,
  currency: "usd",
  refundId: `ch_1:${refundedMinor}`,
}));
const dispute = fc.record({
  kind: fc.constantFrom("disputed", "dispute_won", "dispute_lost"),
  paymentId: fc.constant("pi_1"),
  disputeId: fc.constantFrom("dp_1", "dp_2"),
  amountMinor: fc.constant(1_000n),
  currency: fc.constant("usd"),
});
const history = fc
  .array(fc.tuple(head, fc.oneof(report, refund, dispute)), { maxLength: 12 })
  .map((events) => events.map(([base, facts], index) => ({ ...base, ...facts, id: `evt_${index}` }) as StoredEvent));

test("the result depends only on the set of events, not on their order or repetition", () => {
  fc.assert(
    fc.property(
      history.chain((events) =>
        fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
      ),
      ([events, shuffled]) => {
        expect(resolvePurchase(terms, shuffled)).toEqual(resolvePurchase(terms, events));
      },
    ),
    { numRuns: 500 },
  );
});

test("a purchase is credited only with a payment that matches its terms, regardless of other events", () => {
  fc.assert(
    fc.property(history, (events) => {
      const isAgreed = events.some(
        (event) =>
          event.kind === "paid" &&
          event.organizationId === "org_1" &&
          event.paymentId !== null &&
          event.amountMinor === 1_000n &&
          event.currency === "usd",
      );
      const { isPaid, status, refunded, problems } = resolvePurchase(terms, events);
      expect(isPaid).toBe(isAgreed);
      if (!isAgreed) expect(["pending", "processing", "failed", "expired", "review"]).toContain(status);
      expect(status === "review").toBe(problems.length > 0);
      expect(refunded <= terms.amount).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("more events never revoke a payment or reduce a refund", () => {
  fc.assert(
    fc.property(history, fc.nat(12), (events, count) => {
      const [before, after] = [resolvePurchase(terms, events.slice(0, count)), resolvePurchase(terms, events)];
      expect(!before.isPaid || after.isPaid).toBe(true);
      expect(after.refunded >= before.refunded).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("events of another purchase have no effect", () => {
  const paid = {
    id: "evt_1",
    at: new Date(0),
    kind: "paid",
    purchaseId: "pur_1",
    organizationId: "org_1",
    sessionId: "cs_1",
    paymentId: "pi_1",
    amountMinor: 1_000n,
    taxMinor: 0n,
    currency: "usd",
    isForeign: false,
  } as const;
  expect(resolvePurchase(terms, [paid])).toMatchObject({ status: "paid", isPaid: true });
  expect(resolvePurchase(terms, [{ ...paid, isForeign: true }])).toMatchObject({ status: "review", isPaid: false });
  expect(resolvePurchase(terms, [{ ...paid, purchaseId: "pur_2" }])).toMatchObject({ status: "review", isPaid: false });
  const twice = [paid, { ...paid, id: "evt_2", paymentId: "pi_2" }];
  expect(resolvePurchase(terms, twice)).toMatchObject({
    status: "review",
    isPaid: true,
    problems: ["the purchase was paid more than once"],
  });
});
