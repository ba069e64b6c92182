import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { UsageStream } from "./usage-stream.ts";

const CONSUMER_NAME = "settler";
// Workers tell twice a second what they hold, so what one that died held goes to another after this long.
const ACKNOWLEDGE_WITHIN_MS = 1_500;
// Of all workers together.
const MAX_UNACKNOWLEDGED = 1_024;
const EXISTS_WITH_OTHER_SETTINGS = 10_148;

/** The consumer that all workers share: each message goes to one of them, and again to any until it is acknowledged. */
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
    // Made by another release: a worker that is newer brings it up to date.
    await manager.consumers.update(stream.streamName, CONSUMER_NAME, settings);
  }
  return jetstream(connection, { checkAPI: false }).consumers.get(stream.streamName, CONSUMER_NAME);
}
