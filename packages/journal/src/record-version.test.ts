import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { expect, test } from "vitest";
import { decodeRecord } from "./decode-record.ts";
import { encodeClose, recordSpace } from "./encode-record.ts";
import type { ClosingFacts, JournaledCall, LostAttempt } from "./journaled-call.ts";
import { encodeIdentity, encodeTarget } from "./record-blocks.ts";
import { LATER_REPORTED_COST, MORE_FIXED_BYTES, MORE_KNOWN } from "./record-layout.ts";
import { versionOfRecord } from "./record-version.ts";

const call: JournaledCall = {
  id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  identity: encodeIdentity({ organizationId: "org_1", teamId: null, keyId: "key_1", userId: "ann" }),
  target: encodeTarget({
    endpoint: "/v1/rerank",
    modelGroup: "rank",
    deploymentId: "rank-1",
    provider: "cohere",
    priceVersionId: null,
  }),
  requestId: "a label of the client's own",
  isStream: false,
  hold: 0n,
  isBilled: false,
  epoch: 1,
  budgets: [{ scope: "team", scopeId: "team_1", startsAtMs: 0, endsAtMs: 1 }],
  lostAttempts: [],
};

const lostAttempt: LostAttempt = {
  reason: "retry",
  deploymentId: "rank-2",
  provider: "cohere",
  priceVersionId: "price_1",
  usage: { ...NO_USAGE, outputTokens: 5 },
  cost: 50n,
};

function close(change: Partial<ClosingFacts>, lostAttempts: readonly LostAttempt[] = []): Buffer {
  const facts: ClosingFacts = {
    status: "success",
    httpStatus: 200,
    errorCode: null,
    usage: NO_USAGE,
    cost: 0n,
    fromLease: 0n,
    budgetShares: [0n],
    endedAtMs: 0,
    latencyMs: 0,
    firstTokenMs: null,
    ...OMITTED_FIELDS,
    ...change,
  };
  const space = recordSpace(Buffer.alloc(4_096));
  return space.bytes.subarray(0, encodeClose(space, 0, { ...call, lostAttempts }, facts));
}

test("only a record that the previous release cannot read has the newer version", () => {
  expect(versionOfRecord(close({}), 0)).toBe(2);
  const retried = { errorCode: "timeout", attempts: 2, fallbackFrom: "other", endUser: "bo", session: "s" };
  expect(versionOfRecord(close(retried), 0)).toBe(2);
  expect(versionOfRecord(close({ usage: { ...NO_USAGE, characters: 8 } }), 0)).toBe(2);
  expect(versionOfRecord(close({ usage: { ...NO_USAGE, searches: 1 } }), 0)).toBe(3);
  expect(versionOfRecord(close({ ...retried, usage: { ...NO_USAGE, searches: 1 } }), 0)).toBe(3);
  expect(versionOfRecord(close({ loss: 1n }), 0)).toBe(4);
  expect(versionOfRecord(close({ errorCode: "timeout" }, [lostAttempt]), 0)).toBe(4);
  expect(versionOfRecord(close({ usage: { ...NO_USAGE, searches: 1 }, loss: 1n }, [lostAttempt]), 0)).toBe(4);
  expect(versionOfRecord(close({ usage: { ...NO_USAGE, reportedCost: 0n } }), 0)).toBe(5);
});

test.each(billingUnits)("a record with $name has the version that added the unit", ({ name, since }) => {
  expect(versionOfRecord(close({ usage: { ...NO_USAGE, [name]: 1 } }), 0)).toBe(Math.max(2, since));
});

test("rejects a record that contains a section from a later release", () => {
  const plain = close({ endUser: "bo" });
  const searched = close({ endUser: "bo", usage: { ...NO_USAGE, searches: 1 } });
  // The first byte that differs after the flags and the checksum contains the section flags.
  const at = plain.findIndex((byte, index) => index > 152 && byte !== searched[index]);
  expect(plain[at]).toBe(4);
  // The first byte has no unknown flags. The second one follows the end user, with its length.
  expect(MORE_KNOWN).toBe(255);
  const reported = close({ endUser: "bo", usage: { ...NO_USAGE, reportedCost: 7n } });
  const laterAt = at + MORE_FIXED_BYTES + 4;
  expect(reported[laterAt]).toBe(LATER_REPORTED_COST);
  reported[laterAt] = LATER_REPORTED_COST | 2;
  expect(() => decodeRecord(reported, 0)).toThrow("later release");
});
