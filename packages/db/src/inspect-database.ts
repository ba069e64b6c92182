import { Client } from "pg";
import { findPendingFunctions } from "./schema/apply-functions.ts";
import { readFunctions } from "./schema/read-functions.ts";
import { newestNumber, readMigrations } from "./schema/read-migrations.ts";
import { isTooNew, readApplied } from "./schema/read-schema.ts";

/** Properties of a database that can be read without changing it. */
export interface DatabaseFacts {
  /** As printed by PostgreSQL, for example `16.4`. */
  readonly version: string;
  readonly majorVersion: number;
  /** Duration of one round trip on an open connection. */
  readonly latencyMs: number;
  /** Database clock minus the local clock; accurate to half a round trip. */
  readonly clockOffsetMs: number;
  /** Number of the newest applied migration; 0 before the first start. */
  readonly schemaNumber: number;
  /** Number of the newest migration in this build. */
  readonly knownSchemaNumber: number;
  /** Number of functions that this build would replace. */
  readonly pendingFunctions: number;
  /** True if a later release changed the schema in a way that this build does not support. */
  readonly isTooNew: boolean;
  /** Number of gateway processes that currently use the database. */
  readonly liveGateways: number;
}

interface About {
  readonly version: string;
  readonly number: number;
  readonly hasGateways: boolean;
}

const CONNECT_LIMIT_MS = 3_000;
const ANSWER_LIMIT_MS = 3_000;

/** Inspects a database as the user in the connection string, in a read-only session. Throws connection errors. */
export async function inspectDatabase(connectionString: string): Promise<DatabaseFacts> {
  const client = new Client({
    connectionString,
    application_name: "tollgate doctor",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
  });
  await client.connect();
  try {
    await client.query("set default_transaction_read_only = on");
    const startedAtMs = Date.now();
    const started = performance.now();
    const clock = await client.query<{ now: Date }>("select clock_timestamp() as now");
    const latencyMs = performance.now() - started;
    const about = await client.query<About>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
              to_regclass('gateway_nodes') is not null as "hasGateways"`,
    );
    const { version, number, hasGateways } = about.rows[0] as About;
    const applied = await readApplied(client);
    const knownSchemaNumber = newestNumber(readMigrations());
    return {
      version: version.split(" ")[0] as string,
      majorVersion: Math.floor(number / 10_000),
      latencyMs,
      clockOffsetMs: (clock.rows[0] as { now: Date }).now.getTime() - startedAtMs - latencyMs / 2,
      schemaNumber: applied.at(-1)?.number ?? 0,
      knownSchemaNumber,
      pendingFunctions: (await findPendingFunctions(client, readFunctions())).length,
      isTooNew: isTooNew(applied, knownSchemaNumber),
      liveGateways: hasGateways ? await countLiveGateways(client) : 0,
    };
  } finally {
    await client.end();
  }
}

async function countLiveGateways(client: Client): Promise<number> {
  const { rows } = await client.query<{ live: number }>(
    "select count(*)::int as live from gateway_nodes where alive_until > now()",
  );
  return rows[0]?.live ?? 0;
}
