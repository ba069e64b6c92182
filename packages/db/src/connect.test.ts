import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { connect } from "./connect.ts";

test("a pool uses its role and application name on every connection", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const ask = sql<{
    role: string;
    name: string;
  }>`select current_user as role, current_setting('application_name') as name`;
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask.execute(db)));
  expect(new Set(answers.map(({ rows }) => rows[0]?.role))).toEqual(new Set(["tollgate_gateway"]));
  expect(answers[0]?.rows[0]?.name).toBe("tests");
});

test("a pool reads 64-bit integers without losing a digit", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const { rows } = await sql`select 9007199254740993::bigint as amount`.execute(db);
  expect(rows).toEqual([{ amount: 9_007_199_254_740_993n }]);
});

test("a pool cancels a statement that runs too long", async ({ database }) => {
  const { connectionString } = database;
  const options = { connectionString, role: "tollgate_gateway", poolSize: 1, applicationName: "tests" } as const;
  const db = connect({ ...options, acquireLimitMs: 20_000 });
  await expect(sql`select pg_sleep(10)`.execute(db)).rejects.toThrow("statement timeout");
  await db.destroy();
});

test("a pool waits at most one second for a connection", async ({ database }) => {
  const { connectionString } = database;
  const db = connect({ connectionString, role: "tollgate_gateway", poolSize: 1, applicationName: "tests" });
  // On a busy machine, opening the connection can take longer than a second, too.
  const isOpen = () =>
    sql`select 1`.execute(db).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen).toBe(true);
  const busy = sql`select pg_sleep(1.5)`.execute(db).catch(() => {});
  await expect(sql`select 1`.execute(db)).rejects.toThrow("timeout exceeded");
  await busy;
  await db.destroy();
});

test("a pool recovers after the server has closed an idle connection", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const other = database.connect("tollgate_gateway");
  await sql`reset role`.execute(other);
  await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other);
  await expect
    .poll(() =>
      sql`select 1 as one`.execute(db).then(
        (answer) => answer.rows,
        () => null,
      ),
    )
    .toEqual([{ one: 1 }]);
});

test("a connection that breaks during a statement fails only that statement", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const other = database.connect("tollgate_gateway");
  await sql`reset role`.execute(other);
  const cut = sql`select pg_sleep(15), 'cut me'`.execute(db).catch((error: Error) => error);
  const terminate = sql<{ ended: boolean }>`
    select pg_terminate_backend(pid) as ended from pg_stat_activity
    where query like '%cut me%' and pid <> pg_backend_pid() and datname = current_database()`;
  await expect.poll(async () => (await terminate.execute(other)).rows).toEqual([{ ended: true }]);
  expect(await cut).toBeInstanceOf(Error);
  const ask = () => sql`select 1 as one`.execute(db).catch(() => null);
  await expect.poll(async () => (await ask())?.rows).toEqual([{ one: 1 }]);
});

test("a transaction whose begin got no answer in time does not stay open", async ({ database }) => {
  const { connectionString } = database;
  const options = { connectionString, role: "tollgate_gateway", poolSize: 1, applicationName: "tests" } as const;
  const db = connect({ ...options, statementLimitMs: 500, acquireLimitMs: 20_000 });
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const pid = rows[0]?.pid ?? expect.fail("The connection has no process.");
  process.kill(pid, "SIGSTOP");
  try {
    await expect(db.transaction().execute(() => Promise.resolve())).rejects.toThrow("Query read timeout");
  } finally {
    process.kill(pid, "SIGCONT");
  }
  // A statement outside of a transaction is committed immediately, which releases its lock.
  await sql`select pg_advisory_xact_lock(7)`.execute(db);
  const held = await sql`
    select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and objid = 7 and datname = current_database()
  `.execute(database.connect("tollgate_gateway"));
  expect(held.rows).toEqual([]);
  await db.destroy();
});
