import { createClient, type RedisClientType } from "redis";

const CONNECT_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_MS = 500;

export interface RedisConnection {
  readonly client: RedisClientType;
  close(): void;
}

/** Connects in the background and reconnects indefinitely. While disconnected, every command fails immediately. */
export function connectRedis(url: string): RedisConnection {
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
  return { client: client as unknown as RedisClientType, close: () => client.destroy() };
}
