import type { NatsConnection } from "@nats-io/transport-node";
import { connectEventLog } from "./connect-event-log.ts";
import { type OutgoingBatch, publishUsageBatch } from "./publish-usage-batch.ts";
import { ensureUsageStream } from "./usage-stream.ts";
import type { UsageStreamOptions } from "./usage-stream-options.ts";

export interface EventLogOptions {
  /** One URL, or several URLs separated by commas. */
  readonly url: string;
  readonly stream: UsageStreamOptions;
}

const CONNECT_LIMIT_MS = 5_000;

/** Publishes usage. Connects in the background, so that gateway startup never waits for the log. */
export class UsagePublisher {
  readonly #stream: UsageStreamOptions;
  readonly #closing = new AbortController();
  readonly #connection: Promise<NatsConnection>;
  #preparation: Promise<void> | null = null;

  constructor({ url, stream }: EventLogOptions) {
    this.#stream = stream;
    this.#connection = connectEventLog(url, "tollgate gateway", this.#closing.signal);
    this.#connection.catch(() => {}); // publish() reports the error
  }

  /**
   * Resolves when the stream has stored the batch. Rejects if the outcome is unknown. The batch can then be published
   * again.
   */
  async publish(batch: OutgoingBatch): Promise<void> {
    const connection = await within(CONNECT_LIMIT_MS, this.#connection);
    try {
      this.#preparation ??= ensureUsageStream(connection, this.#stream);
      await this.#preparation;
      await publishUsageBatch(connection, this.#stream, batch);
    } catch (error) {
      // A log that lost its data has also lost the stream, so the stream is created again before the next attempt.
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
