import { setTimeout as pause } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import { isDatabaseUnavailable } from "./database-errors.ts";

export interface JobQueuePool {
  readonly pool: Pool;
  /** Waits for work in progress, at most a few seconds, and closes the pool. */
  close(): Promise<void>;
}

const ACQUIRE_LIMIT_MS = 5_000;
// Longer than the longest polling interval, so that polling doesn't open a new connection each time.
const IDLE_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 20;
// The queue library retries on this error code, which stands for an unreachable server.
const AWAY_CODE = "EHOSTUNREACH";

/**
 * Opens connections for the job queue as the user in the connection string, because Tollgate's roles can't access the
 * queue's tables. The library marks jobs as done without awaiting the query, so an error in that query would end the
 * process unless the error is retryable. An unavailable database must not end a worker, so all such errors are
 * converted to a retryable error.
 */
export function openJobQueuePool(connectionString: string, poolSize: number): JobQueuePool {
  const pool = new Pool({
    connectionString,
    application_name: "tollgate queue",
    max: poolSize,
    connectionTimeoutMillis: ACQUIRE_LIMIT_MS,
    idleTimeoutMillis: IDLE_LIMIT_MS,
    keepAlive: true,
  });
  // The query that uses a broken connection reports the error. Without listeners, these events would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    makeRetryable(client);
  });
  const connect = pool.connect.bind(pool);
  pool.connect = ((done?: Parameters<typeof connect>[0]) => {
    if (done !== undefined) return connect(done);
    // A caller that arrives after the pool has started closing belongs to a job that another worker takes over. The
    // caller's result is not used.
    return pool.ending ? new Promise(() => {}) : connect().catch(throwRetryable);
  }) as typeof pool.connect;
  return {
    pool,
    close: async () => {
      const deadline = performance.now() + CLOSE_LIMIT_MS;
      const isBusy = () => pool.waitingCount > 0 || pool.idleCount < pool.totalCount;
      while (isBusy() && performance.now() < deadline) await pause(LOOK_EVERY_MS);
      await pool.end();
    },
  };
}

function makeRetryable(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
  client.query = ((...args: readonly unknown[]) => {
    const result = query(...args);
    return result instanceof Promise ? result.catch(throwRetryable) : result;
  }) as typeof client.query;
}

function throwRetryable(error: unknown): never {
  throw isDatabaseUnavailable(error) ? Object.assign(error as Error, { code: AWAY_CODE }) : error;
}
