import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { amount, closeRecord, toJournaled, usage } from "./close-records.fixture.ts";
import { type CloseRecord, decodeRecord, recordLengthAt, toUsageEvent } from "./decode-record.ts";
import { encodeCheckpoint, encodeClose, encodeOpen, recordSpace } from "./encode-record.ts";
import type { ClosingFacts, JournaledCall, LostAttempt } from "./journaled-call.ts";
import { encodeIdentity, encodeTarget } from "./record-blocks.ts";
import {
  AT_LENGTH,
  LABEL_FIXED_BYTES,
  LABEL_SESSION,
  MAX_LOST_ATTEMPTS,
  MAX_RECORD_BYTES,
  TIMES_BYTES,
} from "./record-layout.ts";
import { testCall, testFacts, testId } from "./records.fixture.ts";

test("a closing record decodes to its original at any position, over any previous bytes", () => {
  fc.assert(
    fc.property(closeRecord, fc.nat({ max: 100 }), (record, words) => {
      const space = recordSpace(Buffer.alloc(2 * MAX_RECORD_BYTES, 0xff));
      const end = encodeClose(space, words * 8, toJournaled(record), record.facts);
      expect(end % 8).toBe(0);
      expect(recordLengthAt(space.bytes, words * 8)).toBe(end - words * 8);
      expect(decodeRecord(space.bytes, words * 8)).toEqual(record);
    }),
  );
});

test("an open record decodes to its original, with no budget share used yet", () => {
  fc.assert(
    fc.property(closeRecord, (record) => {
      const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES, 0xff));
      encodeOpen(space, 0, toJournaled(record));
      const budgets = record.call.budgets.map((window) => ({ ...window, fromLease: 0n }));
      expect(decodeRecord(space.bytes, 0)).toEqual({ kind: "open", call: { ...record.call, budgets } });
    }),
  );
});

test("a checkpoint decodes to its original", () => {
  fc.assert(
    fc.property(fc.uuid(), usage, amount, (id, used, cost) => {
      const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES, 0xff));
      encodeCheckpoint(space, 0, id, used, cost);
      expect(decodeRecord(space.bytes, 0)).toEqual({ kind: "checkpoint", id, usage: used, cost });
    }),
  );
});

const LOST: LostAttempt = {
  reason: "malformed",
  deploymentId: "deployment_2",
  provider: "anthropic",
  priceVersionId: "price_2",
  usage: { ...NO_USAGE, inputTokens: 7, outputTokens: 9 },
  cost: 160n,
};

test("an event contains all data from its record, and its journal's node", () => {
  const lostAttempts = [LOST];
  const window = { scope: "team" as const, scopeId: "team_1", startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY };
  const facts: ClosingFacts = testFacts({
    status: "client_disconnect",
    errorCode: "gone",
    loss: 40n,
    budgetShares: [550n],
    attempts: 3,
    fallbackFrom: "faster-model",
    endUser: "ann",
    session: "session-1",
    gatewayBeforeUs: 410,
    queueUs: 1_200,
    failedUs: 30_000,
    gatewayAfterUs: 95,
  });
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  encodeClose(
    space,
    0,
    testCall(1, { requestId: "mine", isStream: true, budgets: [window], epoch: 3, lostAttempts }),
    facts,
  );
  expect(toUsageEvent(decodeRecord(space.bytes, 0) as CloseRecord, "node_a")).toEqual({
    id: testId(1),
    organizationId: "org_1",
    teamId: "team_1",
    keyId: "key_1",
    userId: null,
    requestId: "mine",
    endpoint: "chat.completions",
    modelGroup: "fast-model",
    deploymentId: "deployment_1",
    provider: "openai",
    isStream: true,
    status: "client_disconnect",
    httpStatus: 200,
    errorCode: "gone",
    usage: facts.usage,
    priceVersionId: "price_1",
    cost: 600n,
    loss: 40n,
    lostAttempts: [LOST],
    isBilled: true,
    hold: 1_000n,
    fromLease: 600n,
    budgets: [{ ...window, fromLease: 550n }],
    nodeId: "node_a",
    epoch: 3,
    endedAtMs: facts.endedAtMs,
    latencyMs: 250,
    firstTokenMs: null,
    attempts: 3,
    fallbackFrom: "faster-model",
    endUser: "ann",
    session: "session-1",
    gatewayBeforeUs: 410,
    queueUs: 1_200,
    failedUs: 30_000,
    gatewayAfterUs: 95,
  });
});

test.each(billingUnits)("a record with nothing but $name decodes to its original", ({ name }) => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES, 0xff));
  const used: Usage = { ...NO_USAGE, [name]: 7 };
  const lostAttempts = [{ ...LOST, usage: used }];
  encodeClose(space, 0, testCall(1, { lostAttempts }), testFacts({ usage: used }));
  const { call, facts } = decodeRecord(space.bytes, 0) as CloseRecord;
  expect(facts.usage).toEqual(used);
  expect(call.lostAttempts).toEqual(lostAttempts);
  encodeCheckpoint(space, 0, testId(1), used, 600n);
  expect(decodeRecord(space.bytes, 0)).toMatchObject({ kind: "checkpoint", usage: used });
});

// Output of the last release without units: a closing record and a checkpoint.
const OLD_CLOSE = Buffer.from(
  "JwPRp8AAAAAAAAAABwAAADAxOTk5OTk5LTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMRIADgAEAAAA6AMAAAAAAABYAgAAAAAAAPQBAAAA" +
    "AAAAAAAAAAAAKEAAAAAAAAAUQAAAAAAAABBAAAAAAAAACEAAAAAAAAAAQACAHtKvp3lCAAAAAABAb0AAAAAAAAD4f/MBBAAFAG9yZ18x//8F" +
    "AGtleV8x//8BAGUBAG0BAGQBAHD//21pbmVnb25l",
  "base64",
);
const OLD_CHECKPOINT = Buffer.from(
  "BALRp2gAAAAAAAAAAAAAADAxOTk5OTk5LTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMQAAAAAAAChAAAAAAAAAFEAAAAAAAAAQQAAAAAAA" +
    "AAhAAAAAAAAAAEBYAgAAAAAAAAAAAAA=",
  "base64",
);
const OLD_CALL: JournaledCall = {
  id: testId(1),
  identity: encodeIdentity({ organizationId: "org_1", teamId: null, keyId: "key_1", userId: null }),
  target: encodeTarget({ endpoint: "e", modelGroup: "m", deploymentId: "d", provider: "p", priceVersionId: null }),
  requestId: "mine",
  isStream: true,
  hold: 1_000n,
  isBilled: true,
  epoch: 7,
  budgets: [],
  lostAttempts: [],
};
const OLD_USAGE: Usage = {
  ...NO_USAGE,
  inputTokens: 12,
  cacheReadTokens: 5,
  cacheWriteTokens: 4,
  outputTokens: 3,
  reasoningTokens: 2,
  source: "estimated",
};
const OLD_FACTS = testFacts({
  status: "client_disconnect",
  httpStatus: 499,
  errorCode: "gone",
  usage: OLD_USAGE,
  cost: 600n,
  fromLease: 500n,
});

test("records from the previous release decode as calls with tokens only", () => {
  const close = decodeRecord(OLD_CLOSE, 0) as CloseRecord;
  expect(close.facts).toEqual(OLD_FACTS);
  expect(close.call).toMatchObject({ id: testId(1), requestId: "mine", hold: 1_000n, isStream: true });
  expect(decodeRecord(OLD_CHECKPOINT, 0)).toEqual({ kind: "checkpoint", id: testId(1), usage: OLD_USAGE, cost: 600n });
});

test("a call with tokens only is encoded byte for byte as in the previous release", () => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES, 0xff));
  expect(space.bytes.subarray(0, encodeClose(space, 0, OLD_CALL, OLD_FACTS))).toEqual(OLD_CLOSE);
  expect(space.bytes.subarray(0, encodeCheckpoint(space, 0, testId(1), OLD_USAGE, 600n))).toEqual(OLD_CHECKPOINT);
});

test("times are stored where the previous release ignores them", () => {
  const reported = { attempts: 2, fallbackFrom: "f", endUser: "ann" };
  const measured = { gatewayBeforeUs: 1, queueUs: 2, failedUs: 3, gatewayAfterUs: 4 };
  const before = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const now = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  for (const facts of [testFacts(), testFacts(reported)]) {
    encodeClose(before, 0, testCall(1), facts);
    encodeClose(now, 0, testCall(1), { ...facts, ...measured });
    // The flag for times is the highest bit of the first byte, which the previous release ignores.
    now.bytes.writeUInt8(now.bytes.readUInt8(0) & 0x7f, 0);
    // This release reads labels there, which begin with 0 if there are none.
    const timesAt = now.bytes.indexOf(Buffer.from([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]));
    now.bytes.fill(0, timesAt, timesAt + TIMES_BYTES);
    expect(decodeRecord(now.bytes, 0)).toEqual(decodeRecord(before.bytes, 0));
  }
});

test("a session is stored after everything that the previous release reads", () => {
  const before = recordSpace(Buffer.alloc(MAX_RECORD_BYTES, 0xff));
  const now = recordSpace(Buffer.alloc(MAX_RECORD_BYTES, 0xff));
  const measured = { gatewayBeforeUs: 1, queueUs: 2, failedUs: 3, gatewayAfterUs: 4 };
  const reported = { ...measured, endUser: "ann", usage: { ...NO_USAGE, images: 1, reportedCost: 7n } };
  for (const facts of [testFacts(), testFacts(measured), testFacts(reported)]) {
    const endBefore = encodeClose(before, 0, testCall(1), facts);
    encodeClose(now, 0, testCall(1), { ...facts, session: "s" });
    // Without its label and its length, the record is the one that the previous release would write.
    const labelAt = now.bytes.indexOf(Buffer.from([LABEL_SESSION, 1, 0, 115]), endBefore - 8);
    now.bytes.fill(0, labelAt, labelAt + 4);
    now.bytes.writeUInt32LE(endBefore, AT_LENGTH);
    expect(now.bytes.subarray(0, endBefore)).toEqual(before.bytes.subarray(0, endBefore));
  }
});

test("a label of a later release is ignored, and one that is longer than its record is refused", () => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const end = encodeClose(space, 0, testCall(1), testFacts({ session: "s".repeat(20) }));
  const labelAt = space.bytes.indexOf("s".repeat(20)) - LABEL_FIXED_BYTES;
  // The label becomes one of another kind with 9 characters, and one with the session "tt".
  space.bytes.writeUInt8(99, labelAt);
  space.bytes.writeUInt16LE(9, labelAt + 1);
  const sessionAt = labelAt + LABEL_FIXED_BYTES + 9;
  space.bytes.fill(0, sessionAt, end);
  space.bytes.set([LABEL_SESSION, 2, 0, 116, 116], sessionAt);
  expect((decodeRecord(space.bytes, 0) as CloseRecord).facts).toEqual(testFacts({ session: "tt" }));
  space.bytes.writeUInt16LE(end, sessionAt + 1);
  expect(() => decodeRecord(space.bytes, 0)).toThrow("labels");
});

test("a long session ID is truncated", () => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  encodeClose(space, 0, testCall(1), testFacts({ session: "\u{e9}".repeat(300) }));
  expect((decodeRecord(space.bytes, 0) as CloseRecord).facts.session).toBe("\u{e9}".repeat(128));
});

test("a long end-user ID is truncated, and the fields after it are still read", () => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  encodeClose(space, 0, testCall(1), testFacts({ endUser: "\u{e9}".repeat(300), fallbackFrom: "f" }));
  const { facts } = decodeRecord(space.bytes, 0) as CloseRecord;
  expect(facts).toMatchObject({ endUser: "\u{e9}".repeat(200), fallbackFrom: "f", attempts: 1 });
});

test("the longest strings that a client can send fit into a record", () => {
  const wide = "\u{4e2d}".repeat(100_000);
  const budgets = Array.from({ length: 4 }, () => ({
    scope: "key" as const,
    scopeId: wide,
    startsAtMs: 0,
    endsAtMs: 1,
  }));
  const space = recordSpace(Buffer.alloc(2 * MAX_RECORD_BYTES));
  const names = "n".repeat(1_024);
  const call = testCall(1, {
    requestId: wide,
    budgets,
    identity: encodeIdentity({ organizationId: names, teamId: names, keyId: names, userId: names }),
    target: encodeTarget({
      endpoint: names,
      modelGroup: names,
      deploymentId: names,
      provider: names,
      priceVersionId: names,
    }),
  });
  const usage = { ...NO_USAGE, images: 1 };
  const facts = testFacts({ errorCode: wide, fallbackFrom: wide, endUser: wide, session: wide, usage, loss: 1n });
  const lost = { ...LOST, deploymentId: names, provider: names, priceVersionId: names };
  const lostAttempts = Array.from({ length: MAX_LOST_ATTEMPTS }, () => lost);
  expect(encodeClose(space, 0, { ...call, lostAttempts }, facts)).toBeLessThanOrEqual(MAX_RECORD_BYTES);
});

test("an open record reserves space for the loss of its own attempt, so the closing record always fits", () => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const lose = (length: number) => testCall(1, { lostAttempts: Array.from({ length }, () => LOST) });
  expect(() => encodeOpen(space, 0, lose(MAX_LOST_ATTEMPTS))).toThrow("at most 16");
  encodeOpen(space, 0, lose(MAX_LOST_ATTEMPTS - 1));
  encodeClose(space, 0, lose(MAX_LOST_ATTEMPTS), testFacts());
  const { call } = decodeRecord(space.bytes, 0) as CloseRecord;
  expect(call.lostAttempts).toHaveLength(MAX_LOST_ATTEMPTS);
});

test("an open record with lost attempts has a type that the previous release rejects", () => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const kindOf = (call: JournaledCall): number => {
    encodeOpen(space, 0, call);
    return space.bytes.readUInt8(1);
  };
  expect(kindOf(testCall(1))).toBe(1);
  expect(kindOf(testCall(1, { lostAttempts: [LOST] }))).toBe(4);
  expect(decodeRecord(space.bytes, 0)).toMatchObject({ kind: "open", call: { id: testId(1) } });
});
