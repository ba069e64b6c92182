import { mkdirSync, rmSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { join, resolve } from "node:path";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import { Program } from "@tollgate/testkit/processes/program.ts";
import { Client } from "pg";
import { describeNats } from "../../../scripts/engines-lib/nats.ts";
import { describePostgres } from "../../../scripts/engines-lib/postgres.ts";
import { describeRedis } from "../../../scripts/engines-lib/redis.ts";

const root = resolve(import.meta.dirname, "../../..");
const LOG_NODES = 3;
const OWNER = "tollgate";
const DATABASE = "chaos";

/** The stage's own engines, which no other process uses. */
export interface Engines {
  readonly postgres: Program;
  readonly postgresData: string;
  readonly databaseUrl: string;
  readonly redis: Program;
  readonly redisUrl: string;
  readonly redisPort: number;
  readonly log: readonly Program[];
  readonly natsUrl: string;
}

/** Starts PostgreSQL, Redis, and a three-node log in this folder, each on its own port. */
export async function startEngines(folder: string, onKill: (count: number) => void): Promise<Engines> {
  const [postgresPort, redisPort] = [await choosePort(), await choosePort()];
  const postgresFolder = makeFolder(folder, "postgres");
  const description = describePostgres(postgresFolder, postgresPort);
  const administratorUrl = `postgres://postgres@127.0.0.1:${postgresPort}/postgres`;
  const postgres = new Program({
    name: "postgres",
    folder: postgresFolder,
    launch: description.prepare,
    probe: () => query(administratorUrl, "select 1"),
    onKill,
  });
  const redisFolder = makeFolder(folder, "redis");
  const redis = new Program({
    name: "redis",
    folder: redisFolder,
    launch: describeRedis(redisFolder, redisPort).prepare,
    probe: () => accepts(redisPort),
    onKill,
  });
  const { log, natsUrl } = await describeLog(folder, onKill);
  await Promise.all([postgres.start(), redis.start(), ...log.map((node) => node.start())]);
  await query(administratorUrl, `create role ${OWNER} login createdb createrole`);
  await query(administratorUrl, `create database ${DATABASE} owner ${OWNER}`);
  return {
    postgres,
    postgresData: join(postgresFolder, "data"),
    databaseUrl: `postgres://${OWNER}@127.0.0.1:${postgresPort}/${DATABASE}`,
    redis,
    redisUrl: `redis://127.0.0.1:${redisPort}`,
    redisPort,
    log,
    natsUrl,
  };
}

/** Erases the data of a log node, as if its disk were new. The node must be stopped. */
export function eraseLogNode(node: Program): void {
  rmSync(logData(node), { recursive: true, force: true });
}

/** Returns the data folder of a log node. */
export const logData = (node: Program): string => join(node.folder, "data");

/** Runs one statement on its own connection. */
export async function query<Row>(connectionString: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 60_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function describeLog(folder: string, onKill: (count: number) => void) {
  const ports: number[] = [];
  const routePorts: number[] = [];
  for (let node = 0; node < LOG_NODES; node += 1) {
    ports.push(await choosePort());
    routePorts.push(await choosePort());
  }
  const log = ports.map((port, index) => {
    const name = `log-${index + 1}`;
    const own = makeFolder(folder, name);
    const member = { routePort: routePorts[index] as number, allRoutePorts: routePorts };
    const launch = describeNats(name, own, port, root, member).prepare;
    return new Program({ name, folder: own, launch, probe: () => accepts(port), onKill });
  });
  return { log, natsUrl: ports.map((port) => `nats://127.0.0.1:${port}`).join(",") };
}

function makeFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function accepts(port: number): Promise<void> {
  return new Promise((resolvePromise, reject) => {
    const socket = connectSocket(port, "127.0.0.1", () => {
      socket.destroy();
      resolvePromise();
    });
    socket.once("error", reject);
  });
}
