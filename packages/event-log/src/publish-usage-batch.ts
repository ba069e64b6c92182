import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { encodeUsageBatch } from "./usage-batch.ts";
import type { UsageStream } from "./usage-stream.ts";

/** Records to publish, and the ID by which the log detects duplicates. */
export interface OutgoingBatch {
  readonly id: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly records: readonly Uint8Array[];
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
  { id, nodeId, epoch, records }: OutgoingBatch,
): Promise<void> {
  const message = encodeUsageBatch({ nodeId, epoch, count: records.length, records: Buffer.concat(records) });
  const limit = (connection.info?.max_payload ?? COMMON_MAX_PAYLOAD_BYTES) - HEADER_BYTES;
  if (message.length > limit && records.length > 1) {
    const middle = Math.ceil(records.length / 2);
    await publishUsageBatch(connection, stream, { id: `${id}.0`, nodeId, epoch, records: records.slice(0, middle) });
    await publishUsageBatch(connection, stream, { id: `${id}.1`, nodeId, epoch, records: records.slice(middle) });
    return;
  }
  await jetstream(connection, { checkAPI: false }).publish(stream.subject, message, {
    msgID: id,
    timeout: ACKNOWLEDGE_WITHIN_MS,
  });
}
