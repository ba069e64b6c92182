import type { NatsConnection } from "@nats-io/transport-node";
import { connectEventLog } from "./connect-event-log.ts";
import { type OutgoingBatch, publishUsageBatch } from "./publish-usage-batch.ts";
import { ensureUsageStream, type UsageStreamOptions } from "./usage-stream.ts";

export interface EventLogOptions {
  /** One address, or several with commas between them. */
  readonly url: string;
  readonly stream: UsageStreamOptions;
}

const CONNECT_LIMIT_MS = 5_000;

/** Publishes usage. It connects in the background for as long as that takes: nobody's start waits for the log. */
export class UsagePublisher {
  readonly #stream: UsageStreamOptions;
  readonly #closing = new AbortController();
  readonly #connection: Promise<NatsConnection>;
  #preparation: Promise<void> | null = null;

  constructor({ url, stream }: EventLogOptions) {
    this.#stream = stream;
    this.#connection = connectEventLog(url, "tollgate gateway", this.#closing.signal);
    this.#connection.catch(() => {}); // told to whoever publishes
  }

  /** Resolves when the stream has the batch; rejects when that is not known, after which it may be published again. */
  async publish(batch: OutgoingBatch): Promise<void> {
    const connection = await within(CONNECT_LIMIT_MS, this.#connection);
    try {
      this.#preparation ??= ensureUsageStream(connection, this.#stream);
      await this.#preparation;
      await publishUsageBatch(connection, this.#stream, batch);
    } catch (error) {
      // A log that lost everything lost the stream too: it is set up again before the next try.
      this.#preparation = null;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = await this.#connection.catch(() => null);
    await connection?.close();
  }
}

async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the event log is unreachable")), limitMs);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
