import { createClient } from "@redis/client";

const CONNECT_TIMEOUT_MS = 1_000;
/** Time without any traffic, including pings, after which a connection is replaced. */
const DEAD_CONNECTION_MS = 5_000;
const PING_INTERVAL_MS = 2_000;
const MAX_RECONNECT_MS = 500;
const MAX_QUEUED = 10_000;

export type RedisClient = ReturnType<typeof createRedisClient>;

interface RedisClientOptions {
  /** False if the client always sends a command at least once per second, which finds a dead connection as well. */
  readonly pings?: boolean;
}

/** Opens a client that reconnects automatically and rejects commands immediately while it is disconnected. */
export function openRedisClient(url: string, { pings = true }: RedisClientOptions = {}): RedisClient {
  const client = createRedisClient(url, pings);
  client.on("error", () => {});
  client.connect().catch(() => {});
  return client;
}

function createRedisClient(url: string, pings: boolean) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED,
    ...(pings && { pingInterval: PING_INTERVAL_MS }),
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: DEAD_CONNECTION_MS,
      reconnectStrategy: (tries) => Math.min(MAX_RECONNECT_MS, 20 * 2 ** Math.min(tries, 5)),
    },
  });
}
