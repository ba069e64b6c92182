import { MAX_TIME_US, NO_TIMES } from "@tollgate/domain/credit/call-times.ts";
import { billingUnits, type UnitCounts } from "@tollgate/domain/pricing/billing-units.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import fc from "fast-check";
import type { CloseRecord } from "./decode-record.ts";
import type { JournaledCall, LostAttempt } from "./journaled-call.ts";
import { encodeIdentity, encodeTarget } from "./record-blocks.ts";

const text = fc.string({ unit: "binary", maxLength: 40 }).map((value) => value.toWellFormed());
/** Any amount that a record can contain. */
export const amount = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const often0 = fc.oneof(fc.constant(0), count);
const timeMs = fc.integer({ min: 0, max: 4_102_444_800_000 });

const identity = fc.record({
  organizationId: fc.option(text),
  teamId: fc.option(text),
  keyId: text,
  userId: fc.option(text),
});

const target = fc.record({
  endpoint: text,
  modelGroup: text,
  deploymentId: text,
  provider: text,
  priceVersionId: fc.option(text),
});

const budget = fc.record({
  scope: fc.constantFrom("key" as const, "team" as const, "user" as const, "organization" as const),
  scopeId: text,
  startsAtMs: timeMs,
  endsAtMs: fc.oneof(timeMs, fc.constant(Number.POSITIVE_INFINITY)),
  fromLease: amount,
});

export const usage: fc.Arbitrary<Usage> = fc
  .record({
    counters: fc.record(
      Object.fromEntries(billingUnits.map(({ name, since }) => [name, since === 1 ? count : often0])) as {
        [name in keyof UnitCounts]: fc.Arbitrary<number>;
      },
    ),
    source: fc.constantFrom("reported" as const, "estimated" as const),
  })
  .map(({ counters, source }) => ({ ...counters, source }));

const lostAttempt: fc.Arbitrary<LostAttempt> = fc.record({
  reason: fc.constantFrom("retry", "fallback", "timeout", "malformed", "upstream"),
  deploymentId: text,
  provider: text,
  priceVersionId: text,
  usage,
  cost: amount,
});

const timeUs = fc.nat({ max: MAX_TIME_US });
const times = fc.oneof(
  fc.constant(NO_TIMES),
  fc.record({ gatewayBeforeUs: timeUs, queueUs: timeUs, failedUs: timeUs, gatewayAfterUs: timeUs }),
);

/** Any closing record. */
export const closeRecord: fc.Arbitrary<CloseRecord> = fc
  .record({
    call: fc.record({
      id: fc.uuid(),
      identity,
      target,
      requestId: text,
      isStream: fc.boolean(),
      hold: amount,
      isBilled: fc.boolean(),
      epoch: fc.nat(),
      budgets: fc.array(budget, { maxLength: 4 }),
      lostAttempts: fc.oneof(fc.constant([]), fc.array(lostAttempt, { maxLength: 15 })),
    }),
    facts: fc.record({
      status: fc.constantFrom("success" as const, "failure" as const, "client_disconnect" as const),
      httpStatus: fc.integer({ min: 100, max: 599 }),
      errorCode: fc.option(text),
      usage: fc.oneof(
        usage,
        fc.record({ usage, reportedCost: amount }).map(({ usage: used, reportedCost }) => ({ ...used, reportedCost })),
      ),
      cost: amount,
      loss: fc.oneof(fc.constant(0n), amount),
      fromLease: amount,
      endedAtMs: timeMs,
      latencyMs: count,
      firstTokenMs: fc.option(count),
      attempts: fc.oneof(fc.constant(1), fc.nat(6)),
      fallbackFrom: fc.option(text),
      endUser: fc.option(text),
      session: fc.option(text),
    }),
    times,
  })
  .map(({ call, facts, times: taken }) => ({
    kind: "close",
    call,
    facts: { ...facts, ...taken, budgetShares: call.budgets.map(({ fromLease }) => fromLease) },
  }));

/** Returns the call of a closing record as it is written to the journal. */
export const toJournaled = ({ call }: CloseRecord): JournaledCall => ({
  ...call,
  identity: encodeIdentity(call.identity),
  target: encodeTarget(call.target),
});
