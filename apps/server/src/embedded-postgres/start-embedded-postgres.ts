import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createCluster } from "./create-cluster.ts";
import { lockData } from "./data-lock.ts";
import {
  type EmbeddedConnection,
  embeddedFolder,
  readConnectionFile,
  toConnectionString,
  writeConnectionFile,
} from "./embedded-connection.ts";
import { chooseUser, launchUnprivileged } from "./launch-unprivileged.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import { findPostmaster, isReady, stopPostmaster } from "./postmaster.ts";
import { identifyProcess } from "./process-identity.ts";

export interface EmbeddedPostgres {
  readonly connectionString: string;
  /** PostgreSQL version, such as `18.4`. */
  readonly version: string;
  /** Stops the server and waits for it to exit. Committed data is safe. */
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 30_000;
const POLL_MS = 10;
const START_TRIES = 5;
const RETRY_MS = 200;
/**
 * Temporary errors: another process took the port after the check, or children of a killed server are still exiting.
 */
const PASSING_TROUBLE = /Address already in use|is still in use/;

// Settings for a developer's machine: little memory, few processes, and full durability.
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: 60,
  shared_buffers: "32MB",
  max_wal_size: "256MB",
  fsync: "on",
  io_method: "sync",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

/**
 * Runs a bundled PostgreSQL on the data directory, without installation or network access. The server stops with this
 * process.
 */
export async function startEmbeddedPostgres(options: { dataDir: string }): Promise<EmbeddedPostgres> {
  const wantedFolder = embeddedFolder(options.dataDir);
  // The database server's user must be able to traverse the folder. All files in it are private.
  mkdirSync(wantedFolder, { recursive: true, mode: 0o711 });
  const folder = realpathSync(wantedFolder);
  const cluster = join(folder, "data");
  const unlock = lockData(folder);
  try {
    await stopOrphan(cluster);
    const binaries = findPostgresBinaries(folder);
    const connection = await prepareConnection(folder, existsSync(cluster));
    await createCluster(binaries, cluster, connection.password, chooseUser(cluster));
    const { child, port } = await startServer(binaries, folder, cluster, connection.port);
    writeConnectionFile(folder, { ...connection, port });
    return {
      connectionString: toConnectionString({ ...connection, port }),
      version: readVersion(binaries),
      stop: async () => {
        await stopServer(child);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Stops a server that outlived its killed parent. The lock guarantees that no other process uses it. */
async function stopOrphan(cluster: string): Promise<void> {
  const orphan = findPostmaster(cluster);
  if (orphan !== null) await stopPostmaster(orphan);
}

async function prepareConnection(folder: string, hasData: boolean): Promise<EmbeddedConnection> {
  const stored = readConnectionFile(folder);
  if (stored !== null) return stored;
  if (hasData)
    throw new Error(
      `${join(folder, "connection.json")} is missing. It holds the password of the embedded database, which cannot be opened without it`,
    );
  const connection = { port: await findFreePort(0), password: randomBytes(24).toString("base64url") };
  writeConnectionFile(folder, connection);
  return connection;
}

async function startServer(binaries: PostgresBinaries, folder: string, cluster: string, lastPort: number) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(lastPort);
    const logFile = rotateLog(folder);
    const child = spawnServer(binaries, cluster, port, logFile);
    if (await becomesReady(child, cluster)) return { child, port };
    const log = readFileSync(logFile, "utf8").trim();
    if (attempt === START_TRIES || !PASSING_TROUBLE.test(log)) {
      const reason = log.split("\n").find((line) => line.includes("FATAL")) ?? log.split("\n").at(-1);
      throw new Error(`The embedded database did not start: ${reason}. See ${logFile} for the full log`);
    }
    await pause(RETRY_MS);
  }
}

function spawnServer(binaries: PostgresBinaries, cluster: string, port: number, logFile: string): ChildProcess {
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const { command, args, ...ids } = launchUnprivileged(binaries.postgres, ["-D", cluster, ...settings], {
    reaches: [cluster],
    user: chooseUser(cluster),
    signalOnOurDeath: "INT",
  });
  const log = openSync(logFile, "a", 0o600);
  // Start the server in a separate session. Ctrl-C must reach only this process, because the database is needed during
  // the drain.
  const child = spawn(command, args, {
    cwd: "/",
    env: binaries.environment,
    stdio: ["ignore", log, log],
    detached: true,
    ...ids,
  });
  closeSync(log);
  // If the kernel can't signal the server when this process dies, at least stop the server on a normal exit.
  const endWithUs = () => child.kill("SIGINT");
  process.once("exit", endWithUs);
  child.once("exit", () => process.off("exit", endWithUs));
  return child;
}

async function becomesReady(child: ChildProcess, cluster: string): Promise<boolean> {
  let hasEnded = false;
  child.once("error", () => {
    hasEnded = true;
  });
  child.once("exit", () => {
    hasEnded = true;
  });
  const deadline = performance.now() + READY_LIMIT_MS;
  while (!hasEnded && performance.now() < deadline) {
    if (child.pid !== undefined && isReady(cluster, child.pid)) return true;
    await pause(POLL_MS);
  }
  child.kill("SIGQUIT");
  return false;
}

async function stopServer(child: ChildProcess): Promise<void> {
  const server = child.pid === undefined ? null : identifyProcess(child.pid);
  if (server !== null && child.exitCode === null && child.signalCode === null) await stopPostmaster(server);
}

function readVersion({ postgres, environment }: PostgresBinaries): string {
  const text = execFileSync(postgres, ["--version"], { env: environment, encoding: "utf8" });
  return /\d+\.\d+/.exec(text)?.[0] ?? text.trim();
}

/** Keeps the previous log, which may contain the reason for a crash. */
function rotateLog(folder: string): string {
  const log = join(folder, "log");
  if (existsSync(log)) renameSync(log, join(folder, "log.previous"));
  closeSync(openSync(log, "a", 0o600));
  return log;
}

/**
 * Returns the requested port if it is free, so that saved connection strings stay valid. Otherwise, returns another
 * free port.
 */
function findFreePort(wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", (error) => (wanted === 0 ? reject(error) : resolve(findFreePort(0))));
  server.listen(wanted, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : wanted));
  });
  return promise;
}
