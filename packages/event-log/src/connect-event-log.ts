import { setTimeout as pause } from "node:timers/promises";
import { connect, type NatsConnection } from "@nats-io/transport-node";

const PAUSE_MS = 250;
const PAUSE_JITTER_MS = 250;
const CONNECT_LIMIT_MS = 2_000;
const PING_MS = 10_000;

/**
 * Connects as soon as a server responds, and reconnects whenever the connection breaks. Rejects only if the signal is
 * aborted. `url` can list several servers, separated by commas.
 */
export async function connectEventLog(url: string, name: string, signal: AbortSignal): Promise<NatsConnection> {
  for (;;) {
    try {
      return await connect({
        servers: url.split(","),
        name,
        timeout: CONNECT_LIMIT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: PAUSE_MS,
        reconnectJitter: PAUSE_JITTER_MS,
        pingInterval: PING_MS,
        maxPingOut: 2,
      });
    } catch {
      await pause(PAUSE_MS + Math.random() * PAUSE_JITTER_MS, undefined, { signal });
    }
  }
}
