import type { UsagePublisher } from "@tollgate/event-log/usage-publisher.ts";
import type { EventBatch, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import { nextRecordAt } from "@tollgate/journal/delivery/record-range.ts";

/** Publishes to the log that workers read. An acknowledged batch is not in the ledger yet. */
export function jetstreamEventLog(publisher: UsagePublisher): EventLog {
  return {
    deliver: async ({ id, origin, ranges, count }: EventBatch) => {
      const [first] = ranges;
      const isOne = first !== undefined && first.count === count;
      const records = isOne ? first.bytes : Buffer.concat(ranges.map(({ bytes }) => bytes));
      await publisher.publish({ id, ...origin, count, records, nextRecordAt });
      return "carried";
    },
  };
}
