import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { bareClosing, idsIn } from "@tollgate/journal/delivery/bare-closing.fixture.ts";
import type { EventBatch } from "@tollgate/journal/delivery/delivery-ports.ts";
import { AT_LENGTH, AT_WORD, CLOSE_FIXED_BYTES, FLAG_MORE } from "@tollgate/journal/record-layout.ts";
import { counterParts } from "@tollgate/journal/unit-counters.generated.ts";
import { expect, test } from "vitest";
import { fleetEventLog } from "./fleet-event-log.ts";

/** Returns a closing record with only the fields that its version is derived from. */
function record(id: string, hasSearches: boolean): Buffer {
  const bytes = Buffer.concat([bareClosing(id, 1), Buffer.alloc(64)]);
  bytes.writeUInt32LE(bytes.length, AT_LENGTH);
  bytes.writeUInt32LE((bytes.readUInt32LE(AT_WORD) | FLAG_MORE) >>> 0, AT_WORD);
  bytes.writeUInt8(counterParts({ ...NO_USAGE, images: 1, searches: hasSearches ? 1 : 0 }), CLOSE_FIXED_BYTES);
  return bytes;
}

const batchOf = (...ranges: (readonly Buffer[])[]): EventBatch => ({
  id: "batch",
  origin: { nodeId: "node", epoch: 1 },
  ranges: ranges.map((records) => ({ bytes: Buffer.concat(records), count: records.length })),
  count: ranges.flat().length,
});

function openLogs() {
  const carried: string[][] = [];
  const settled: string[][] = [];
  const log = fleetEventLog(
    {
      deliver: async ({ ranges, count }) => {
        carried.push(idsIn(ranges));
        expect(count).toBe(carried.at(-1)?.length);
        return "carried";
      },
    },
    {
      deliver: async ({ ranges, count }) => {
        settled.push(idsIn(ranges));
        expect(count).toBe(settled.at(-1)?.length);
        return "settled";
      },
    },
  );
  return { log, carried, settled };
}

test("settles events directly if workers from the previous release cannot read them, and sends all other events to the log", async () => {
  const { log, carried, settled } = openLogs();
  const batch = batchOf([record("a", false), record("b", true)], [record("c", false)]);
  expect(await log.deliver(batch)).toBe("carried");
  expect([carried, settled]).toEqual([[["a", "c"]], [["b"]]]);
});

test("a batch that all workers can read needs no database write, and a batch that none can read no log", async () => {
  const { log, carried, settled } = openLogs();
  expect(await log.deliver(batchOf([record("a", false)]))).toBe("carried");
  expect([carried, settled]).toEqual([[["a"]], []]);
  expect(await log.deliver(batchOf([record("b", true)], [record("c", true)]))).toBe("settled");
  expect([carried, settled]).toEqual([[["a"]], [["b", "c"]]]);
});
