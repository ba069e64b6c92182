import { Kysely, PostgresDialect } from "kysely";
import { Pool, types } from "pg";
import type { Tables } from "./tables.generated.ts";

/** What a process may do in the database. The rights of each role are in the migrations. */
export type DatabaseRole = "tollgate_gateway" | "tollgate_platform" | "tollgate_worker";

export interface ConnectOptions {
  readonly connectionString: string;
  readonly role: DatabaseRole;
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`, so that an operator sees who holds a connection. */
  readonly applicationName: string;
  /** How long one statement may take; two seconds for whatever a caller waits for. */
  readonly statementLimitMs?: number;
  /** How long to wait for a connection while all are in use; one second, so that callers of a database that is away know soon. */
  readonly acquireLimitMs?: number;
}

export type Database = Kysely<Tables>;

const STATEMENT_LIMIT_MS = 2_000;
const ACQUIRE_LIMIT_MS = 1_000;
// The server ends a slow statement; this much later the wait ends, when it is the server or the network that has gone silent.
const SILENCE_MS = 1_000;
const IDLE_LIMIT_MS = 60_000;

/** A pool whose every connection has taken the role. Nothing is opened before the first query; `destroy()` closes it. */
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
    // Compiling a statement over many partitions takes longer than running it, hence no JIT.
    // One round trip for each new connection. As start-up parameters the same settings would not pass a session pooler.
    onConnect: async (client) => {
      await client.query(`set role ${options.role}; set statement_timeout = ${statementLimitMs}; set jit = off`);
    },
  });
  // An idle connection that breaks is dropped by the pool and the next query opens another; unheard, it would end the process.
  pool.on("error", () => {});
  // The same for one that breaks while it is used: whoever uses it hears of that from the query.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

// Money is counted in 64 bits, which a JavaScript number cannot hold.
const chooseParser: typeof types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === types.builtins.INT8 && format !== "binary" ? BigInt : types.getTypeParser(oid, format as "text");
