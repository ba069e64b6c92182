import { createHash, randomBytes } from "node:crypto";
import { connect, type Database, type DatabaseRole } from "@tollgate/db/connect.ts";
import { migrate } from "@tollgate/db/migrate.ts";
import { readFunctions } from "@tollgate/db/schema/read-functions.ts";
import { readMigrations } from "@tollgate/db/schema/read-migrations.ts";
import { Client } from "pg";
import { readEnginePorts } from "./engine-ports.ts";
import { waitFor } from "./wait-for.ts";

/** A separate database with the current schema and no rows. */
export interface TestDatabase {
  readonly name: string;
  readonly connectionString: string;
  /** Opens a small pool with this role. The pool is closed with the database. */
  connect(role: DatabaseRole): Database;
  /** Opens a pool with this role that stays open when the database is dropped. The caller closes it. */
  openPool(role: DatabaseRole, poolSize: number): Database;
  drop(): Promise<void>;
}

// This lock is taken in the maintenance database, because advisory locks apply to one database only.
const TEMPLATE_LOCK = 7_655_435;
const POOL_SIZE = 4;
// Timeout far above the production limits, so that a stalled disk on a shared machine doesn't fail a test. Tests of the
// limits themselves open their own pool.
const LIMIT_MS = 20_000;

/**
 * Creates a copy of the migrated schema. This takes tens of milliseconds, so every test file can have its own database.
 */
export async function cloneDatabase(): Promise<TestDatabase> {
  const maintenance = new Client({ connectionString: databaseUrl("postgres") });
  await maintenance.connect();
  try {
    const template = await ensureTemplate(maintenance);
    const name = `test_${randomBytes(8).toString("hex")}`;
    await maintenance.query(`create database ${name} template ${template}`);
    return describeDatabase(name);
  } finally {
    await maintenance.end();
  }
}

/** Creates a database without a schema, for tests of the migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await querySql(databaseUrl("postgres"), `create database ${name}`);
  return describeDatabase(name);
}

/**
 * Returns the template for this schema and day. The first process builds the template under a lock, and later runs reuse
 * it. A migration creates partitions for the coming days, so a template of an earlier day lacks the last of them.
 */
async function ensureTemplate(maintenance: Client): Promise<string> {
  const schema = [...readMigrations(), ...readFunctions()].map(({ checksum }) => checksum).join("\n");
  const today = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const template = `template_${today}_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`;
  await maintenance.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await maintenance.query("select from pg_database where datname = $1", [template]);
    if (rowCount === 0) {
      // Use a temporary name until the template is complete, so that a test run that dies here leaves no partial
      // template.
      const building = `building_${randomBytes(8).toString("hex")}`;
      await maintenance.query(`create database ${building}`);
      await migrate(databaseUrl(building));
      await maintenance.query(`alter database ${building} rename to ${template}`);
    }
  } finally {
    await maintenance.query("select pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  }
  return template;
}

function describeDatabase(name: string): TestDatabase {
  const pools: Database[] = [];
  const openPool = (role: DatabaseRole, poolSize: number) =>
    connect({
      connectionString: databaseUrl(name),
      role,
      poolSize,
      applicationName: "tests",
      statementLimitMs: LIMIT_MS,
      acquireLimitMs: LIMIT_MS,
    });
  return {
    name,
    connectionString: databaseUrl(name),
    openPool,
    connect: (role) => {
      const pool = openPool(role, POOL_SIZE);
      pools.push(pool);
      return pool;
    },
    drop: async () => {
      await Promise.all(pools.map((pool) => pool.destroy()));
      // Drop with force, because the program under test may have left a connection open. A forced drop can't terminate
      // the server's autovacuum, but a plain drop can. Both give up if a session takes longer than five seconds to end,
      // as on a busy machine.
      const drop = `drop database if exists ${name}`;
      await waitFor(`${name} to be dropped`, async () => {
        await querySql(databaseUrl("postgres"), `${drop} with (force)`).catch(() =>
          querySql(databaseUrl("postgres"), drop),
        );
        return true;
      });
    },
  };
}

/** Runs a query as the user in the connection string. */
export async function querySql<Row>(connectionString: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString });
  // The query and this event both report a closed connection. Without a listener, the event would crash the process.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function databaseUrl(name: string): string {
  return `postgres://tollgate@127.0.0.1:${readEnginePorts().postgres}/${name}`;
}
