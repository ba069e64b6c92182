import type { Database } from "@tollgate/db/connect.ts";
import { parkMalformed } from "@tollgate/db/ledger/park-malformed.ts";
import { settleBatch } from "@tollgate/db/ledger/settle-usage.ts";
import type { LogMessage } from "@tollgate/event-log/usage-consumer.ts";
import { LedgerBatch } from "@tollgate/journal/delivery/ledger-batch.ts";
import type { NodeRecords } from "@tollgate/journal/delivery/write-ledger-json.ts";
import { readMessage } from "./read-message.ts";

type SettledMessages =
  | { readonly kind: "settled"; readonly events: number; readonly unreadable: readonly string[] }
  /** The database was unavailable. All messages are redelivered. */
  | { readonly kind: "failed"; readonly error: unknown };

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/**
 * Number of deliveries of a message from a later release before it is parked, which takes about three minutes. Until
 * then, a worker of that release may receive the message.
 */
const NEWER_DELIVERIES = 12;

/** Settles messages in one transaction and acknowledges them only after the commit. */
export async function settleMessages(db: Database, messages: readonly LogMessage[]): Promise<SettledMessages> {
  const readable: LogMessage[] = [];
  const unreadable: { message: LogMessage; reason: string }[] = [];
  const records: NodeRecords[] = [];
  for (const message of messages) {
    const read = readMessage(message.data);
    if (read.kind !== "records") {
      if (read.kind === "newer" && message.deliveries < NEWER_DELIVERIES) leaveToOthers(message);
      else unreadable.push({ message, reason: read.reason });
      continue;
    }
    readable.push(message);
    // An event can be in two messages: a message that the log acknowledged late, and its retransmission. The ledger
    // settles it once.
    records.push(read.records);
  }
  const batch = new LedgerBatch(records);
  try {
    await settleBatch(db, batch);
    for (const message of readable) message.ack();
    for (const { message, reason } of unreadable) {
      await parkMalformed(db, message.data, reason);
      message.drop();
    }
  } catch (error) {
    // Messages that have already been acknowledged stay acknowledged, because the log uses the first reply.
    for (const message of messages) message.retry(retryPauseMs(message.deliveries));
    return { kind: "failed", error };
  }
  return { kind: "settled", events: batch.count, unreadable: unreadable.map(({ reason }) => reason) };
}

/** Schedules a redelivery of the message, to any worker. */
const leaveToOthers = (message: LogMessage): void => message.retry(retryPauseMs(message.deliveries));

function retryPauseMs(deliveries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(deliveries - 1, 10), MAX_RETRY_MS);
}
