import { setTimeout as pause } from "node:timers/promises";
import type { ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { connectEventLog } from "./connect-event-log.ts";
import { HeldMessages, type HeldMessagesOptions } from "./held-messages.ts";
import { openSettlerConsumer } from "./settler-consumer.ts";
import type { EventLogOptions } from "./usage-publisher.ts";
import { ensureUsageStream } from "./usage-stream.ts";

/** A message from the log, with methods to acknowledge it. */
export interface LogMessage {
  readonly data: Uint8Array;
  /** Number of deliveries, including this one. */
  readonly deliveries: number;
  /** Acknowledges the message after it has been processed. */
  ack(): void;
  /** Requests redelivery after at least this delay. */
  retry(afterMs: number): void;
  /** Prevents any further delivery. */
  drop(): void;
}

export interface UsageConsumerOptions extends EventLogOptions {
  /**
   * Called with one group of messages at a time. Messages that the handler doesn't acknowledge are redelivered. Returns
   * false to pause.
   */
  readonly handle: (messages: readonly LogMessage[]) => Promise<boolean>;
  /** Called if the log is unavailable or has lost its data. The consumer retries. */
  readonly onTrouble: (error: unknown) => void;
}

const HELD: HeldMessagesOptions = {
  // Events per transaction. Larger transactions gain little, and lock more organizations for longer.
  eventsTogether: 1_000,
  // A transaction of a few events costs several times as much per event as a full one, and many quiet gateways send
  // messages of a few events.
  gatherMs: 200,
  // Buffered during settlement, so that there are no gaps between groups.
  maxEvents: 2_000,
  maxMessages: 400,
};
// Messages prefetched in addition to the buffered messages. They aren't reported as in progress.
const MESSAGES_AHEAD = 16;
const KEEP_ALIVE_MS = 500;
// If the log sends nothing for this long, check that the consumer still exists.
const SILENCE_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/**
 * Passes usage messages from the log to a handler until stopped. Any number of consumers can run, in any number of
 * processes.
 */
export class UsageConsumer {
  readonly #options: UsageConsumerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #messages: ConsumerMessages | null = null;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(options: UsageConsumerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Stops after the current group is acknowledged. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#messages?.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const connection = await connectEventLog(this.#options.url, "tollgate worker", signal).catch(() => null);
    if (connection === null) return;
    while (!signal.aborted) {
      try {
        this.#messages = await this.#consume(connection);
        this.#pauseMs = FIRST_PAUSE_MS;
        if (!signal.aborted) await this.#handleAll(this.#messages);
      } catch (error) {
        if (!signal.aborted) this.#options.onTrouble(error);
      }
      await this.#rest();
    }
    await connection.drain();
  }

  async #consume(connection: NatsConnection): Promise<ConsumerMessages> {
    const { stream } = this.#options;
    await ensureUsageStream(connection, stream);
    const consumer = await openSettlerConsumer(connection, stream);
    return consumer.consume({ max_messages: MESSAGES_AHEAD, expires: SILENCE_MS, abort_on_missing_resource: true });
  }

  async #handleAll(messages: ConsumerMessages): Promise<void> {
    const held = new HeldMessages(HELD);
    const handling = this.#handleGroups(held);
    const beat = setInterval(() => held.keepAlive(), KEEP_ALIVE_MS);
    try {
      for await (const message of messages) await held.add(message);
    } finally {
      held.end();
      await handling;
      clearInterval(beat);
    }
  }

  async #handleGroups(held: HeldMessages): Promise<void> {
    for (let group = await held.takeGroup(); group !== null; group = await held.takeGroup()) {
      if (await this.#options.handle(group.map(toLogMessage))) this.#pauseMs = FIRST_PAUSE_MS;
      else await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    await pause(this.#pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }
}

function toLogMessage(message: JsMsg): LogMessage {
  return {
    data: message.data,
    deliveries: message.info.deliveryCount,
    ack: () => message.ack(),
    retry: (afterMs) => message.nak(afterMs),
    drop: () => message.term(),
  };
}
