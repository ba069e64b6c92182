import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { EventBatch } from "@tollgate/journal/delivery/delivery-ports.ts";
import { AT_WORD, CLOSE_FIXED_BYTES, FLAG_MORE } from "@tollgate/journal/record-layout.ts";
import { counterParts } from "@tollgate/journal/unit-counters.generated.ts";
import { expect, test } from "vitest";
import { fleetEventLog } from "./fleet-event-log.ts";

/** Returns a closing record with only the fields that its version is derived from. */
function event(id: string, hasSearches: boolean): EventBatch["events"][number] {
  const bytes = Buffer.alloc(CLOSE_FIXED_BYTES + 64);
  bytes.writeUInt32LE(FLAG_MORE, AT_WORD);
  bytes.writeUInt8(counterParts({ ...NO_USAGE, images: 1, searches: hasSearches ? 1 : 0 }), CLOSE_FIXED_BYTES);
  return { id, bytes };
}

const batchOf = (events: EventBatch["events"]): EventBatch => ({
  id: "batch",
  origin: { nodeId: "node", epoch: 1 },
  events,
});

function openLogs() {
  const carried: string[][] = [];
  const settled: string[][] = [];
  const log = fleetEventLog(
    {
      deliver: async ({ events }) => {
        carried.push(events.map(({ id }) => id));
        return { kind: "carried" };
      },
    },
    {
      deliver: async ({ events }) => {
        const ids = events.map(({ id }) => id);
        settled.push(ids);
        return { kind: "settled", ids };
      },
    },
  );
  return { log, carried, settled };
}

test("settles events directly if workers from the previous release cannot read them, and sends all other events to the log", async () => {
  const { log, carried, settled } = openLogs();
  const answer = await log.deliver(batchOf([event("a", false), event("b", true), event("c", false)]));
  expect(answer).toEqual({ kind: "settled", ids: ["b"] });
  expect([carried, settled]).toEqual([[["a", "c"]], [["b"]]]);
});

test("a batch that all workers can read needs no database write", async () => {
  const { log, carried, settled } = openLogs();
  expect(await log.deliver(batchOf([event("a", false)]))).toEqual({ kind: "carried" });
  expect([carried, settled]).toEqual([[["a"]], []]);
});
