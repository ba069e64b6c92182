import { writeEvents } from "@tollgate/db/ledger/write-events.ts";
import { closeRecord, toJournaled } from "@tollgate/journal/close-records.fixture.ts";
import type { CloseRecord } from "@tollgate/journal/decode-record.ts";
import { JsonBuffer } from "@tollgate/journal/delivery/json-buffer.ts";
import { readUsageEvents } from "@tollgate/journal/delivery/read-usage-events.fixture.ts";
import type { RecordRange } from "@tollgate/journal/delivery/record-range.ts";
import { writeLedgerJson } from "@tollgate/journal/delivery/write-ledger-json.ts";
import { encodeClose, encodeOpen, recordSpace } from "@tollgate/journal/encode-record.ts";
import { AT_LENGTH, CLOSE_FIXED_BYTES, MAX_RECORD_BYTES } from "@tollgate/journal/record-layout.ts";
import { testCall, testFacts } from "@tollgate/journal/records.fixture.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const json = new JsonBuffer();
const nodeIds = fc.string({ unit: "binary-ascii" });
const parse = (text: string): unknown => JSON.parse(text);
const writeRange = (range: RecordRange): Buffer => writeLedgerJson(json, [{ nodeId: "node", ranges: [range] }]);

function encode(records: readonly CloseRecord[]): RecordRange {
  const space = recordSpace(Buffer.alloc((records.length + 1) * MAX_RECORD_BYTES));
  let end = 0;
  for (const record of records) end = encodeClose(space, end, toJournaled(record), record.facts);
  return { bytes: space.bytes.subarray(0, end), count: records.length };
}

const rangeOf = (facts: Parameters<typeof testFacts>[0], call: Parameters<typeof testCall>[1] = {}): RecordRange => {
  const space = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const end = encodeClose(space, 0, testCall(1, call), testFacts(facts));
  return { bytes: space.bytes.subarray(0, end), count: 1 };
};

test("records written as text are the same JSON as their decoded events", () => {
  fc.assert(
    fc.property(fc.array(fc.array(closeRecord, { maxLength: 4 }), { maxLength: 3 }), nodeIds, (lists, nodeId) => {
      const ranges = lists.map(encode);
      const events = ranges.flatMap(({ bytes }) => readUsageEvents(bytes, nodeId));
      const text = writeLedgerJson(json, [{ nodeId, ranges }]).toString();
      expect(parse(text)).toEqual(parse(writeEvents(events)));
    }),
    { numRuns: 300 },
  );
});

test("no amount is rounded, however large", () => {
  const amounts = [0n, 1n, 9n, 10n, 999_999_999n, 10n ** 9n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n];
  const large = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 9_000_000n * 10n ** 9n - 1n, 2n ** 63n - 1n, -1n];
  for (const cost of [...amounts, ...large]) {
    const [event] = parse(writeRange(rangeOf({ cost })).toString()) as [{ cost: string }];
    expect(event.cost).toBe(cost.toString());
  }
});

test("equal names are prepared once, and different names are never confused", () => {
  const identity = (last: string) => ({ organizationId: "o", teamId: null, keyId: `key_${last}`, userId: "the same" });
  const target = { endpoint: "/", modelGroup: "m", deploymentId: "d", provider: "p", priceVersionId: null };
  const records = Array.from({ length: 200 }, (_, index): CloseRecord => {
    const named = { ...testCall(index), identity: identity(String(index % 50)), target, budgets: [] };
    return { kind: "close", call: named, facts: testFacts() };
  });
  const events = parse(writeRange(encode(records)).toString()) as { keyId: string }[];
  expect(events.map(({ keyId }) => keyId)).toEqual(records.map(({ call }) => call.identity.keyId));
});

test("bytes that are not closing records of this release are refused", () => {
  const times = { gatewayBeforeUs: 1, queueUs: 1, failedUs: 1, gatewayAfterUs: 1 };
  const { bytes } = rangeOf({ endUser: "ann", ...times });
  const { bytes: labeled } = rangeOf({ session: "s".repeat(20) });
  const labelAt = labeled.indexOf("s".repeat(20)) - 2;
  labeled.writeUInt16LE(labeled.length, labelAt);
  const broken = (change: (copy: Buffer) => void): RecordRange => {
    const copy = Buffer.from(bytes);
    change(copy);
    return { bytes: copy, count: 1 };
  };
  const open = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  const openEnd = encodeOpen(open, 0, testCall(1));
  const refused: readonly RecordRange[] = [
    { bytes: open.bytes.subarray(0, openEnd), count: 1 },
    { bytes: bytes.subarray(0, bytes.length - 8), count: 1 },
    { bytes, count: 2 },
    { bytes: labeled, count: 1 },
    broken((copy) => copy.writeUInt32LE(0, AT_LENGTH)),
    broken((copy) => copy.writeUInt32LE(CLOSE_FIXED_BYTES, AT_LENGTH)),
    broken((copy) => copy.writeUInt32LE(copy.length - 16, AT_LENGTH)),
  ];
  for (const range of refused) expect(() => writeRange(range)).toThrow();
  // The memory is reused, so what a refused record left in it must not appear in the next text.
  expect(parse(writeLedgerJson(json, []).toString())).toEqual([]);
});
