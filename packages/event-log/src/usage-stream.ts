import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { UsageStreamOptions } from "./usage-stream-options.ts";

const HOUR_MS = 3_600_000;
const MAX_AGE_MS = 72 * HOUR_MS;
const DUPLICATE_WINDOW_MS = 120_000;
const STREAM_NOT_FOUND = 10_059;

/** Creates the stream, or updates its settings. Any number of processes can do this concurrently. */
export async function ensureUsageStream(connection: NatsConnection, options: UsageStreamOptions): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const wanted = describeStream(connection, options);
  const current = await readStream(manager, options.streamName);
  if (current === null) await manager.streams.add({ name: options.streamName, ...wanted });
  else if (isDifferent(current, wanted)) await manager.streams.update(options.streamName, wanted);
}

/** Uses only features of NATS server 2.9: no metadata, no compression, no filters. */
function describeStream(connection: NatsConnection, { subject, replicas, maxBytes }: UsageStreamOptions) {
  return {
    subjects: [subject],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(MAX_AGE_MS),
    max_bytes: maxBytes ?? -1,
    num_replicas: replicas ?? (connection.info?.cluster === undefined ? 1 : 3),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  } satisfies Partial<StreamConfig>;
}

async function readStream(manager: JetStreamManager, name: string): Promise<StreamConfig | null> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return null;
    throw error;
  }
}

function isDifferent(current: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).some(
    ([field, value]) => JSON.stringify(current[field as keyof StreamConfig]) !== JSON.stringify(value),
  );
}
