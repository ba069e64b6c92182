import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeUsageBatch, encodeUsageBatch } from "./usage-batch.ts";

/** Newest version of records that the reader knows. */
const NEWEST_VERSION = 4;

const batches = fc.record({
  nodeId: fc.string({ maxLength: 40 }),
  epoch: fc.nat(),
  count: fc.nat(),
  records: fc.uint8Array({ maxLength: 4_000 }),
});

test("every batch decodes to the batch that was encoded", () => {
  fc.assert(
    fc.property(batches, (batch) => {
      const decoded = decodeUsageBatch(encodeUsageBatch(batch), NEWEST_VERSION);
      if (decoded.kind !== "batch") throw new Error(decoded.reason);
      expect({ ...decoded.batch, records: [...decoded.batch.records] }).toEqual({
        ...batch,
        records: [...batch.records],
      });
    }),
  );
});

test("a changed or truncated batch is rejected without throwing", () => {
  fc.assert(
    fc.property(batches, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(), (batch, at, change, cut) => {
      const message = encodeUsageBatch(batch);
      expect(decodeUsageBatch(message.subarray(0, cut % message.length), NEWEST_VERSION).kind).toBe("unreadable");
      message[at % message.length] = (message[at % message.length] as number) ^ change;
      expect(decodeUsageBatch(message, NEWEST_VERSION).kind).not.toBe("batch");
    }),
  );
});

test("a newer version, a foreign message, and a damaged message have different results", () => {
  const message = encodeUsageBatch({ nodeId: "node", epoch: 1, count: 1, records: Buffer.alloc(100, "a") });
  const newer = Buffer.from(message);
  newer.writeUInt16LE(5, 4);
  expect(decodeUsageBatch(newer, NEWEST_VERSION)).toEqual({ kind: "newer", reason: "its schema version is 5" });
  expect(decodeUsageBatch(Buffer.from("hello"), NEWEST_VERSION)).toMatchObject({
    reason: "it is not a batch of usage events",
  });
  expect(decodeUsageBatch(message.subarray(0, message.length - 3), NEWEST_VERSION)).toMatchObject({
    reason: "it is damaged",
  });
});

test.each([1, 3])("decodes a message from the previous or next release: version %i", (version) => {
  const message = Buffer.from(encodeUsageBatch({ nodeId: "node", epoch: 1, count: 1, records: Buffer.alloc(9, "a") }));
  message.writeUInt16LE(version, 4);
  message.writeUInt32LE(crc32(message.subarray(24), crc32(message.subarray(0, 20))), 20);
  expect(decodeUsageBatch(message, NEWEST_VERSION)).toMatchObject({
    kind: "batch",
    batch: { nodeId: "node", count: 1 },
  });
});
