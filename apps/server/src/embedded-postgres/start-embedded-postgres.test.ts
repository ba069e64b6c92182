import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@tollgate/db/migrate.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { needsRoot } from "@tollgate/testkit/needs.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readEmbeddedConnection } from "./embedded-connection.ts";
import { findPostmaster } from "./postmaster.ts";
import { identifyProcess } from "./process-identity.ts";
import { startEmbeddedPostgres } from "./start-embedded-postgres.ts";

const RUNNER = join(import.meta.dirname, "run-embedded-postgres.fixture.ts");
let dataDir: string;
let runners: ChildProcess[];

beforeEach(() => {
  // The directory is private to the user who runs the tests. If that user is root, the database server's user can't
  // enter the directory directly.
  dataDir = mkdtempSync(join(tmpdir(), "embedded-"));
  runners = [];
});

afterEach(async () => {
  for (const runner of runners) runner.kill("SIGKILL");
  await waitFor("the server to end", () => findPostmaster(clusterOf(dataDir)) === null, { limitMs: 15_000 });
  rmSync(dataDir, { recursive: true, force: true });
});

test("starts from an empty folder, accepts migrations, and keeps its data across restarts", async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  expect(first.version).toMatch(/^\d+\.\d+$/);
  expect(await migrate(first.connectionString)).toBeGreaterThan(0);
  await first.stop();

  const startedAtMs = performance.now();
  const second = await startEmbeddedPostgres({ dataDir });
  expect(performance.now() - startedAtMs).toBeLessThan(1_500);
  expect(second.connectionString).toBe(first.connectionString);
  expect(await migrate(second.connectionString)).toBe(0);
  await second.stop();
});

test("syncs commits, listens on loopback only, and requires a password", async () => {
  const server = await startEmbeddedPostgres({ dataDir });
  const settings =
    "select name, setting from pg_settings where name in ('fsync', 'listen_addresses', 'unix_socket_directories')";
  expect(await querySql(server.connectionString, `${settings} order by name`)).toEqual([
    { name: "fsync", setting: "on" },
    { name: "listen_addresses", setting: "127.0.0.1" },
    { name: "unix_socket_directories", setting: "" },
  ]);
  const guess = new URL(server.connectionString);
  guess.password = "guess";
  await expect(migrate(guess.href)).rejects.toThrow("password authentication failed");
  await server.stop();
});

test("stores the connection string in a private file while it is running", async () => {
  expect(readEmbeddedConnection(dataDir)).toBeNull();
  const server = await startEmbeddedPostgres({ dataDir });
  expect(readEmbeddedConnection(dataDir)).toBe(server.connectionString);
  expect(statSync(join(dataDir, "postgres/connection.json")).mode & 0o777).toBe(0o600);
  await server.stop();
  expect(readEmbeddedConnection(dataDir)).toBeNull();
});

test("refuses to run twice on the same data and reports the process that is using the data", async () => {
  const { runner } = await runElsewhere(dataDir);
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
    `in use by another Tollgate process (PID ${runner.pid})`,
  );
});

test("uses another port if its previous port is taken", async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  await first.stop();
  const stranger = createServer().listen(Number(new URL(first.connectionString).port), "127.0.0.1");
  await once(stranger, "listening");
  const second = await startEmbeddedPostgres({ dataDir });
  expect(second.connectionString).not.toBe(first.connectionString);
  await migrate(second.connectionString);
  await second.stop();
  stranger.close();
});

test("exits when its parent process exits or is killed, and restarts with the same data", async () => {
  const { runner, connectionString } = await runElsewhere(dataDir);
  await migrate(connectionString);
  runner.kill("SIGKILL");
  await once(runner, "exit");
  await waitFor("the server to end by itself", () => findPostmaster(clusterOf(dataDir)) === null);
  const server = await startEmbeddedPostgres({ dataDir });
  expect(await migrate(server.connectionString)).toBe(0);
  await server.stop();
});

test("stops a server that outlived its killed parent, and takes over its data", async () => {
  const { runner } = await runElsewhere(dataDir);
  const orphan = findPostmaster(clusterOf(dataDir));
  if (orphan === null) throw new Error("no server");
  // A stopped server can't handle the signal that it gets when its parent dies.
  process.kill(orphan.pid, "SIGSTOP");
  runner.kill("SIGKILL");
  await once(runner, "exit");
  const starting = startEmbeddedPostgres({ dataDir });
  process.kill(orphan.pid, "SIGCONT");
  const server = await starting;
  expect(identifyProcess(orphan.pid)).toBeNull();
  await server.stop();
});

test("reports an error if the server can't start", async () => {
  const server = await startEmbeddedPostgres({ dataDir });
  await server.stop();
  rmSync(join(clusterOf(dataDir), "global"), { recursive: true });
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow("The embedded database did not start");
  expect(readEmbeddedConnection(dataDir)).toBeNull();
});

describe("when started as root", needsRoot, () => {
  test("runs the server as an unprivileged user, even with data in a private folder", async () => {
    chmodSync(dataDir, 0o700);
    const server = await startEmbeddedPostgres({ dataDir });
    const status = readFileSync(`/proc/${findPostmaster(clusterOf(dataDir))?.pid}/status`, "utf8");
    await server.stop();
    expect(status).not.toMatch(/^Uid:\s+0/m);
    expect(status).toMatch(/^CapEff:\s+0000000000000004/m);
  });

  test("can start from a process that runs as an unprivileged user", async () => {
    chownSync(dataDir, 65_534, 65_534);
    const { connectionString, runner } = await runElsewhere(dataDir, { uid: 65_534, gid: 65_534 });
    expect(await migrate(connectionString)).toBeGreaterThan(0);
    runner.kill("SIGTERM");
    await once(runner, "exit");
  });
});

/** Runs the database in a separate process that the test may kill. */
async function runElsewhere(data: string, ids: { uid?: number; gid?: number } = {}) {
  const runner: ChildProcess = spawn(process.execPath, [RUNNER, data], {
    stdio: ["ignore", "pipe", "inherit"],
    ...ids,
  });
  runners.push(runner);
  const [line] = await once(runner.stdout as NonNullable<typeof runner.stdout>, "data");
  return { runner, connectionString: String(line).trim() };
}

function clusterOf(data: string): string {
  return join(realpathSync(data), "postgres/data");
}
