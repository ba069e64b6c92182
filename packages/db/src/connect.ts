import { Kysely, PostgresDialect } from "kysely";
import { Pool, type PoolClient, types } from "pg";
import type { Tables } from "./tables.generated.ts";

/** Database role of a process. The migrations define the privileges of each role. */
export type DatabaseRole = "tollgate_gateway" | "tollgate_platform" | "tollgate_worker";

interface ConnectOptions {
  readonly connectionString: string;
  readonly role: DatabaseRole;
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`, so that an operator can see which process holds a connection. */
  readonly applicationName: string;
  /** Statement timeout; two seconds by default because a caller is waiting. */
  readonly statementLimitMs?: number;
  /**
   * Maximum wait for a free connection; one second by default, so that requests fail fast if the database is
   * unavailable.
   */
  readonly acquireLimitMs?: number;
}

export type Database = Kysely<Tables>;

const STATEMENT_LIMIT_MS = 2_000;
const ACQUIRE_LIMIT_MS = 1_000;
// The server cancels slow statements. The client stops waiting this much later, in case the server or the network is
// down.
const SILENCE_MS = 1_000;
const IDLE_LIMIT_MS = 60_000;

/**
 * Creates a pool whose connections all use the role. The pool connects on the first query, and `destroy()` closes it.
 */
export function connect(options: ConnectOptions): Database {
  const statementLimitMs = options.statementLimitMs ?? STATEMENT_LIMIT_MS;
  const pool = new Pool({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    max: options.poolSize,
    connectionTimeoutMillis: options.acquireLimitMs ?? ACQUIRE_LIMIT_MS,
    idleTimeoutMillis: IDLE_LIMIT_MS,
    query_timeout: statementLimitMs + SILENCE_MS,
    keepAlive: true,
    types: { getTypeParser: chooseParser },
    // JIT is off because compiling a statement over many partitions takes longer than running it. The settings cost one
    // round trip per new connection, because session poolers would reject them as startup parameters.
    onConnect: async (client) => {
      await client.query(`set role ${options.role}; set statement_timeout = ${statementLimitMs}; set jit = off`);
    },
  });
  // The pool drops an idle connection that breaks. Without a listener, the error event would end the process.
  pool.on("error", () => {});
  // A connection that breaks while in use also emits an error event, but the query already reports the error.
  pool.on("connect", (client) => client.on("error", () => {}));
  closeUnanswered(pool);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Closes a connection on which a query got no answer in time, instead of returning it to the pool. The server may still
 * run that query. If it was a `begin`, all later statements would be part of a transaction that no one commits.
 */
function closeUnanswered(pool: Pool): void {
  const unanswered = new WeakSet<PoolClient>();
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
    client.query = ((...parts: unknown[]) => {
      const answer = query(...parts);
      if (answer instanceof Promise)
        answer.catch((error: unknown) => {
          if (error instanceof Error && error.message === "Query read timeout") unanswered.add(client);
        });
      return answer;
    }) as typeof client.query;
  });
  const take = pool.connect.bind(pool) as () => Promise<PoolClient>;
  pool.connect = (async () => {
    const client = await take();
    const { release } = client;
    client.release = (reason) => release(reason || unanswered.has(client));
    return client;
  }) as typeof pool.connect;
}

// Amounts are 64-bit integers, which a JavaScript number can't represent exactly.
const chooseParser: typeof types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === types.builtins.INT8 && format !== "binary" ? BigInt : types.getTypeParser(oid, format as "text");
