import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { UsageStream } from "./usage-stream-options.ts";

const CONSUMER_NAME = "settler";
// Workers report their messages as in progress twice per second, so the messages of a dead worker are redelivered after
// this long.
const ACKNOWLEDGE_WITHIN_MS = 1_500;
// Limit for all workers combined. Each can hold a thousand small messages.
const MAX_UNACKNOWLEDGED = 8_192;
const EXISTS_WITH_OTHER_SETTINGS = 10_148;

/**
 * Opens the consumer that all workers share. Each message is delivered to one worker, and redelivered until it is
 * acknowledged.
 */
export async function openSettlerConsumer(connection: NatsConnection, stream: UsageStream): Promise<Consumer> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const settings = {
    ack_wait: nanos(ACKNOWLEDGE_WITHIN_MS),
    max_ack_pending: MAX_UNACKNOWLEDGED,
    max_deliver: -1,
    filter_subject: stream.subject,
  };
  try {
    await manager.consumers.add(stream.streamName, {
      durable_name: CONSUMER_NAME,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ...settings,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== EXISTS_WITH_OTHER_SETTINGS) throw error;
    // Another release created the consumer, so update its settings.
    await manager.consumers.update(stream.streamName, CONSUMER_NAME, settings);
  }
  return jetstream(connection, { checkAPI: false }).consumers.get(stream.streamName, CONSUMER_NAME);
}
