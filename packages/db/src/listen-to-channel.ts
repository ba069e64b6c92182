import { setTimeout as pause } from "node:timers/promises";
import { Client, type QueryConfig } from "pg";

export interface ChannelListener {
  /** Resolves when the listener receives notifications for the first time. */
  readonly listening: Promise<void>;
  close(): Promise<void>;
}

interface ChannelEars {
  readonly onPayload: (payload: string) => void;
  /** Called if the connection breaks. It is reestablished with exponential backoff. */
  readonly onLost: (error: Error) => void;
  /** Called when the connection is reestablished. Notifications may have been missed. */
  readonly onReturn: () => void;
}

const CONNECT_LIMIT_MS = 2_000;
// A server starts with many things at the same time, on a computer that may be busy, and no notification is missed before
// the first connection.
const FIRST_CONNECT_LIMIT_MS = 30_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;
// A dead connection looks like a connection without notifications, so the connection is checked periodically.
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_LIMIT_MS = 2_000;
const END_LIMIT_MS = 1_000;

/** Receives all notifications on a channel until the listener is closed. */
export function listenToChannel(
  connectionString: string,
  channel: "tollgate_notice" | "tollgate_run" | "tollgate_run_queued",
  { onPayload, onLost, onReturn }: ChannelEars,
): ChannelListener {
  const closing = new AbortController();
  const first = Promise.withResolvers<void>();
  let wasListening = false;

  async function keepListening(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!closing.signal.aborted) {
      const limitMs = wasListening ? CONNECT_LIMIT_MS : FIRST_CONNECT_LIMIT_MS;
      const client = new Client({
        connectionString,
        application_name: "tollgate notices",
        connectionTimeoutMillis: limitMs,
        keepAlive: true,
      });
      try {
        const broken = watch(client);
        client.on("notification", ({ payload = "" }) => onPayload(payload));
        // A listener that is closed doesn't wait for its first connection.
        await Promise.race([start(client, limitMs), broken]);
        if (closing.signal.aborted) return;
        if (wasListening) onReturn();
        wasListening = true;
        retryMs = FIRST_RETRY_MS;
        first.resolve();
        await Promise.race([broken, beat(client)]);
      } catch (error) {
        if (!closing.signal.aborted) onLost(error as Error);
      } finally {
        // A server that doesn't respond never confirms the end.
        await Promise.race([client.end().catch(() => {}), pause(END_LIMIT_MS, undefined, { ref: false })]);
      }
      // Jitter, so that a fleet doesn't reconnect in lockstep.
      await rest(retryMs * (0.5 + Math.random() / 2));
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }

  async function start(client: Client, limitMs: number): Promise<void> {
    await client.connect();
    await client.query(within(limitMs, `listen ${channel}`));
  }

  /** Rejects when the connection breaks, and resolves when the listener is closed. */
  function watch(client: Client): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.once("error", reject);
    client.once("end", () => reject(new Error("the database closed the connection")));
    closing.signal.addEventListener("abort", () => resolve(), { once: true });
    promise.catch(() => {}); // connect() or the heartbeat may report the same break first
    return promise;
  }

  async function beat(client: Client): Promise<void> {
    while (!closing.signal.aborted) {
      await rest(HEARTBEAT_MS);
      if (!closing.signal.aborted) await client.query(within(HEARTBEAT_LIMIT_MS, "select 1"));
    }
  }

  const rest = (ms: number) => pause(ms, undefined, { signal: closing.signal }).catch(() => {});
  const done = keepListening();
  return {
    listening: first.promise,
    close: async () => {
      closing.abort();
      await done;
    },
  };
}

/** Returns a query with a time limit, which the driver's types don't declare. */
function within(limitMs: number, text: string): QueryConfig {
  const query: QueryConfig & { readonly query_timeout: number } = { text, query_timeout: limitMs };
  return query;
}
