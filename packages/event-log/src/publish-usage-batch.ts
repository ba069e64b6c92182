import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { encodeUsageBatch } from "./usage-batch.ts";
import type { UsageStream } from "./usage-stream-options.ts";

/** Records to publish, and the ID by which the log detects duplicates. */
export interface OutgoingBatch {
  readonly id: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly count: number;
  /** Concatenated records. */
  readonly records: Uint8Array;
  /** Returns the offset of the record after the one at `offset`. */
  readonly nextRecordAt: (records: Uint8Array, offset: number) => number;
}

const ACKNOWLEDGE_WITHIN_MS = 5_000;
// Maximum message size if the server doesn't announce a limit.
const COMMON_MAX_PAYLOAD_BYTES = 1024 * 1024;
// Bytes reserved for message headers.
const HEADER_BYTES = 1_024;

/** Resolves when the stream has stored the whole batch. Splits a batch that is too large for one message. */
export async function publishUsageBatch(
  connection: NatsConnection,
  stream: UsageStream,
  batch: OutgoingBatch,
): Promise<void> {
  const { id, count, records } = batch;
  const message = encodeUsageBatch(batch);
  const limit = (connection.info?.max_payload ?? COMMON_MAX_PAYLOAD_BYTES) - HEADER_BYTES;
  if (message.length > limit && count > 1) {
    const first = Math.ceil(count / 2);
    let middle = 0;
    for (let left = first; left > 0; left -= 1) middle = batch.nextRecordAt(records, middle);
    const halves = [
      { ...batch, id: `${id}.0`, count: first, records: records.subarray(0, middle) },
      { ...batch, id: `${id}.1`, count: count - first, records: records.subarray(middle) },
    ];
    for (const half of halves) await publishUsageBatch(connection, stream, half);
    return;
  }
  await jetstream(connection, { checkAPI: false }).publish(stream.subject, message, {
    msgID: id,
    timeout: ACKNOWLEDGE_WITHIN_MS,
  });
}
