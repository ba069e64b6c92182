import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GROUP_HEADER_BYTES } from "./group.ts";
import { checkpointOf, closeOf, groupOf, idOf, openOf, segmentOf, testHeader, testId } from "./records.fixture.ts";
import { type ScannedRecord, scanLiveGroups, scanSegment } from "./scan-segment.ts";
import { encodeHeader, HEADER_BYTES } from "./segment-header.ts";

const groups = [
  [openOf(1), openOf(2), closeOf(1)],
  [checkpointOf(2, 10n)],
  [
    closeOf(2),
    openOf(3, { requestId: "a label of the client" }),
    closeOf(3, { errorCode: "upstream_error" }),
    openOf(4),
  ],
  [closeOf(4)],
];
const segment = segmentOf(groups);
const whole = scanSegment(segment);

test("reads every record in order, with its byte position", () => {
  expect(whole.header).toEqual({ kind: "header", header: testHeader });
  expect(whole.records.map(({ record }) => `${record.kind} ${idOf(record)}`)).toEqual(
    groups.flat().map((record) => `${record.kind} ${record.kind === "checkpoint" ? record.id : record.call.id}`),
  );
  expect(whole.damage).toEqual([]);
  expect(whole.endOffset).toBe(segment.length - 4_096);
  for (const { position } of whole.records) expect(segment.readUInt16LE(position + 2)).toBe(0xa7d1);
});

describe("segment damage", () => {
  test("to any bytes destroys exactly the records that contain them", () => {
    const hit = fc.record({
      at: fc.nat({ max: whole.endOffset - HEADER_BYTES - 1 }),
      mask: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(fc.array(hit, { minLength: 1, maxLength: 4 }), (hits) => {
        const bytes = Buffer.from(segment);
        const places = new Map(hits.map(({ at, mask }) => [HEADER_BYTES + at, mask]));
        for (const [at, mask] of places) bytes[at] = (bytes[at] as number) ^ mask;
        const scan = scanSegment(bytes);
        const isHit = ({ position, length }: ScannedRecord) =>
          [...places.keys()].some((at) => at >= position && at < position + length);
        const lost = whole.records.filter(isHit);
        expect(scan.records).toEqual(whole.records.filter((record) => !isHit(record)));
        expect(scan.damage.length).toBeGreaterThan(0);
        for (const record of lost)
          expect(
            scan.damage.some(
              ({ position, byteLength, lostRecords }) =>
                lostRecords > 0 && position <= record.position && record.position < position + byteLength,
            ),
          ).toBe(true);
        if (lost.length === 0) expect(scan.damage.every(({ lostRecords }) => lostRecords === 0)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("to one record is reported at the record's position", () => {
    const bytes = Buffer.from(segment);
    const victim = whole.records[5] as ScannedRecord;
    bytes[victim.position + 70] = (bytes[victim.position + 70] as number) ^ 1;
    expect(scanSegment(bytes).damage).toEqual([
      { position: victim.position, byteLength: victim.length, lostRecords: 1, isTail: false },
    ]);
  });

  test("by truncation destroys exactly the records after the cut, and the number lost in the last group is reported", () => {
    fc.assert(
      fc.property(fc.integer({ min: HEADER_BYTES, max: whole.endOffset }), (length) => {
        const scan = scanSegment(segment.subarray(0, length));
        expect(scan.records).toEqual(whole.records.filter((record) => record.position + record.length <= length));
        expect(scan.damage.every(({ isTail }) => isTail)).toBe(true);
      }),
    );
    const cut = (whole.records[1] as ScannedRecord).position + 10;
    expect(scanSegment(segment.subarray(0, cut)).damage).toMatchObject([{ lostRecords: 2, isTail: true }]);
  });

  test("to one header copy destroys no records, but damage to both copies destroys the whole segment", () => {
    const bytes = Buffer.from(segment);
    bytes.fill(0xff, 0, 512);
    expect(scanSegment(bytes).records).toEqual(whole.records);
    bytes.fill(0xff, 0, 1_024);
    expect(scanSegment(bytes)).toMatchObject({ header: { kind: "damaged" }, records: [], damage: [{ position: 0 }] });
  });

  test("never causes bytes sent by a client to be read as a record", () => {
    // A request ID containing a valid record, from an attacker who doesn't know the segment's salt.
    const forged = groupOf([closeOf(666, { cost: 0n })], 0).subarray(GROUP_HEADER_BYTES);
    const bytes = segmentOf([[closeOf(1, {}, { requestId: "x".repeat(800) })], [closeOf(2)]]);
    const victim = scanSegment(bytes).records[0] as ScannedRecord;
    const labelAt = bytes.indexOf("xxxx");
    forged.copy(bytes, labelAt + ((8 - (labelAt % 8)) % 8));
    bytes[victim.position + 20] = 0;
    expect(scanSegment(bytes).records.map(({ record }) => idOf(record))).toEqual([testId(2)]);
  });
});

test("a prepared segment that was never written is not reported as damage", () => {
  expect(scanSegment(Buffer.alloc(64 * 1_024))).toEqual({
    header: { kind: "unused" },
    records: [],
    damage: [],
    endOffset: 0,
  });
  expect(scanSegment(Buffer.alloc(0)).damage).toEqual([]);
});

test("a segment in a newer format is reported and not decoded", () => {
  const bytes = Buffer.from(segment);
  for (const at of [4, 516]) bytes.writeUInt32LE(2, at);
  expect(scanSegment(bytes)).toMatchObject({ records: [], damage: [{ position: 0 }] });
});

test("live reading stops before an incomplete group and resumes there later", () => {
  const body = segment.subarray(HEADER_BYTES);
  fc.assert(
    fc.property(fc.nat({ max: whole.endOffset - HEADER_BYTES }), (length) => {
      const torn = Buffer.concat([body.subarray(0, length), Buffer.alloc(body.length - length)]);
      const seen: number[] = [];
      const end = scanLiveGroups(torn, testHeader.salt, HEADER_BYTES, (at) => seen.push(HEADER_BYTES + at));
      scanLiveGroups(segment.subarray(end), testHeader.salt, end, (at) => seen.push(end + at));
      expect(seen).toEqual(whole.records.map(({ position }) => position));
    }),
  );
});

test("reads 100,000 records in less than two seconds of CPU time", () => {
  const group = groupOf(
    Array.from({ length: 100 }, (_, index) => closeOf(index)),
    testHeader.salt,
  );
  const bytes = Buffer.concat([encodeHeader(testHeader), ...Array.from({ length: 1_000 }, () => group)]);
  const before = process.cpuUsage();
  expect(scanSegment(bytes).records.length).toBe(100_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(2);
});
