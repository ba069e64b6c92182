import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type DatabaseRole } from "@tollgate/db/connect.ts";
import { migrate } from "@tollgate/db/migrate.ts";
import { ping } from "@tollgate/db/ping.ts";
import { startEmbeddedPostgres } from "@tollgate/server/embedded-postgres/start-embedded-postgres.ts";
import { createEmptyDatabase, querySql } from "@tollgate/testkit/database.ts";
import { expect, onTestFinished, test } from "vitest";
import { restore } from "../restore/restore.ts";
import { runCommand } from "../run-command.fixture.ts";
import { backup } from "./backup.ts";

const ROLES: readonly DatabaseRole[] = ["tollgate_gateway", "tollgate_platform", "tollgate_worker"];

test("a data folder can be backed up, checked, and restored into a new folder, but not into an existing one", async () => {
  const folder = makeFolder();
  const data = join(folder, "data");
  const postgres = await startEmbeddedPostgres({ dataDir: data });
  await migrate(postgres.connectionString);
  await querySql(postgres.connectionString, "insert into users (email, name) values ('a@example.com', 'A')");
  await postgres.stop();
  const out = join(folder, "backups");
  mkdirSync(out);
  const written = await run(backup, ["--out", out, "--check", "--data", data]);
  expect(written).toMatchObject({ code: 0, reported: "" });
  expect(readdirSync(out)).toEqual([expect.stringMatching(/^tollgate-\d{8}T\d{6}Z\.tar$/)]);
  const file = written.out.file as string;
  expect(await run(restore, ["--check", file])).toMatchObject({ code: 0, out: { ok: true, rows: written.out.rows } });
  const restored = join(folder, "restored");
  expect(await run(restore, [file, "--data", restored])).toMatchObject({
    code: 0,
    out: { totals: written.out.totals },
  });
  expect(await run(restore, [file, "--data", restored])).toMatchObject({
    code: 2,
    reported: `✗ ${restored} already contains a database. Use a new directory.\n`,
  });
  const again = await startEmbeddedPostgres({ dataDir: restored });
  onTestFinished(() => again.stop());
  expect(await querySql(again.connectionString, "select email from users")).toEqual([{ email: "a@example.com" }]);
});

test("a database owner without superuser rights can migrate, back up, and restore", async () => {
  const folder = makeFolder();
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data") });
  onTestFinished(() => postgres.stop());
  await querySql(postgres.connectionString, "create role plain login createrole password 'plain'");
  await querySql(postgres.connectionString, "create database source owner plain");
  await querySql(postgres.connectionString, "create database target owner plain");
  const addressOf = (database: string) => {
    const url = new URL(postgres.connectionString);
    return Object.assign(url, { username: "plain", password: "plain", pathname: `/${database}` }).toString();
  };
  await migrate(addressOf("source"));
  for (const role of ROLES) {
    const db = connect({ connectionString: addressOf("source"), role, poolSize: 1, applicationName: "tests" });
    await ping(db).finally(() => db.destroy());
  }
  const file = join(folder, "backup.tar");
  expect((await run(backup, ["--out", file], addressOf("source"))).code).toBe(0);
  expect(await run(restore, [file], addressOf("target"))).toMatchObject({ code: 0, reported: "" });
});

test("a backup never overwrites a file, and incomplete backups are rejected", async () => {
  const folder = makeFolder();
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const file = join(folder, "backup.tar");
  writeFileSync(file, "something else");
  expect(await run(backup, ["--out", file], database.connectionString)).toMatchObject({
    code: 2,
    reported: `✗ ${file} already exists.\n`,
  });
  expect(await run(restore, [file], database.connectionString)).toMatchObject({
    code: 1,
    reported: "✗ The backup cannot be used: it is truncated.\n",
  });
  expect(await run(restore, ["--check", join(folder, "none.tar")])).toMatchObject({ code: 2 });
  // Backing up a database without a schema fails and leaves no file behind.
  const other = join(folder, "other.tar");
  expect((await run(backup, ["--out", other], database.connectionString)).code).toBe(1);
  expect(existsSync(other) || existsSync(`${other}.partial`)).toBe(false);
});

function run(command: typeof backup, args: readonly string[], databaseUrl?: string) {
  const env = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  return runCommand(command, args, { env, cwd: tmpdir() });
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
