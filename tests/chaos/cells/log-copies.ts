import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { USAGE_STREAM } from "@tollgate/event-log/usage-stream-options.ts";
import type { Random } from "../../random.ts";

const COPY_MARK = "chaos-copy";
const MAX_COPIES = 4;
const MAX_WAIT_MS = 1_500;

/** Number of messages that were sent to disturb the event log, by type. */
export interface Troublemaker {
  readonly copies: number;
  readonly poison: number;
  stop(): Promise<void>;
}

/** Resends every usage batch several times, delayed and out of order, each as a separate message. */
export async function sendCopies(natsUrl: string, random: Random): Promise<Troublemaker> {
  return makeTrouble(natsUrl, (data, connection, count) => {
    for (let copy = random.integer(0, MAX_COPIES); copy > 0; copy -= 1) {
      setTimeout(() => publish(connection, data, count), random.integer(0, MAX_WAIT_MS));
    }
    return 0;
  });
}

/**
 * Between valid messages, sends messages that cannot be settled: noise, truncated batches, and batches with flipped
 * bits.
 */
export async function sendPoison(natsUrl: string, random: Random): Promise<Troublemaker> {
  return makeTrouble(natsUrl, (data, connection, count) => {
    const kinds = [noise(random), data.subarray(0, Math.floor(data.length / 2)), flipped(data, random)];
    publish(connection, random.pick(kinds), count);
    return 1;
  });
}

type Answer = (data: Uint8Array, connection: NatsConnection, count: () => void) => number;

async function makeTrouble(natsUrl: string, answer: Answer): Promise<Troublemaker> {
  const connection = await connect({ servers: natsUrl.split(","), name: "chaos", maxReconnectAttempts: -1 });
  const sent = { copies: 0, poison: 0 };
  const subscription = connection.subscribe(USAGE_STREAM.subject, {
    callback: (error, message) => {
      if (error !== null || message.headers?.has(COPY_MARK) === true) return;
      // Copy the bytes, because the connection reuses its buffer.
      sent.poison += answer(message.data.slice(), connection, () => {
        sent.copies += 1;
      });
    },
  });
  return {
    get copies() {
      return sent.copies;
    },
    get poison() {
      return sent.poison;
    },
    stop: async () => {
      subscription.unsubscribe();
      await connection.close();
    },
  };
}

function publish(connection: NatsConnection, data: Uint8Array, count: () => void): void {
  if (connection.isClosed()) return;
  const marked = headers();
  marked.set(COPY_MARK, "1");
  connection.publish(USAGE_STREAM.subject, data, { headers: marked });
  count();
}

function noise(random: Random): Uint8Array {
  return Uint8Array.from({ length: random.integer(1, 300) }, () => random.integer(0, 255));
}

function flipped(data: Uint8Array, random: Random): Uint8Array {
  const copy = data.slice();
  const at = random.integer(0, copy.length - 1);
  copy[at] = (copy[at] as number) ^ (1 << random.integer(0, 7));
  return copy;
}
