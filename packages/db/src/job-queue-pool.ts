import { setTimeout as pause } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import { isDatabaseUnavailable } from "./database-away.ts";

export interface JobQueuePool {
  readonly pool: Pool;
  /** Ends when what is under way has ended, or after some seconds when it cannot. */
  close(): Promise<void>;
}

const ACQUIRE_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 20;
// Of the codes that the queue's library tries again after, the one for a server that is not there.
const AWAY_CODE = "EHOSTUNREACH";

/**
 * Connections for the job queue, as whoever the address names: no role of ours may touch its tables. The library notes the
 * end of a job without anyone waiting for it, so what fails there ends the process, unless it is an error after which it
 * tries again. A database that is away must not end a worker, hence every such error is made one of those.
 */
export function openJobQueuePool(connectionString: string, poolSize: number): JobQueuePool {
  const pool = new Pool({
    connectionString,
    application_name: "tollgate queue",
    max: poolSize,
    connectionTimeoutMillis: ACQUIRE_LIMIT_MS,
    keepAlive: true,
  });
  // A connection that breaks is told by the query that uses it; unheard, these events would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    makeRetryable(client);
  });
  const connect = pool.connect.bind(pool);
  pool.connect = ((done?: Parameters<typeof connect>[0]) => {
    if (done !== undefined) return connect(done);
    // Whoever comes this late belongs to a job that is given to another worker; nobody waits for the answer.
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
