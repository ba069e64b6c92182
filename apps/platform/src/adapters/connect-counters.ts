import { createClient } from "@redis/client";
import type { SharedCounters } from "@tollgate/domain/limits/shared-counters.ts";
import { RedisCounters } from "@tollgate/runtime/limits/redis-counters.ts";

const CONNECT_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_MS = 500;
/** Longer than the gateway's timeout, because a management request can wait for a busy server. */
const MAX_WAIT_MS = 1_000;

interface CounterConnection {
  readonly counters: SharedCounters;
  close(): void;
}

/**
 * Connects to Redis in the background and reconnects indefinitely. While disconnected, every request fails immediately.
 * `process` must be unique among live processes.
 */
export function connectCounters(url: string, process: string, maxWaitMs = MAX_WAIT_MS): CounterConnection {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, MAX_RECONNECT_MS),
    },
  });
  // Ignore connection errors here, because each failed command reports its error.
  client.on("error", () => {});
  client.connect().catch(() => {});
  return {
    counters: new RedisCounters(client, process, { silenceMs: maxWaitMs, maxWaitMs }),
    close: () => client.destroy(),
  };
}
