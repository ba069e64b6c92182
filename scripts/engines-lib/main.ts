import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Engine } from "./engine.ts";
import { findPid, startEngine, stopEngine } from "./engine-process.ts";
import { describeNats } from "./nats.ts";
import { claimPort, defaultPorts, type Ports, readPorts, writePorts } from "./ports.ts";
import { describePostgres } from "./postgres.ts";
import { describeRedis } from "./redis.ts";

const root = resolve(import.meta.dirname, "../..");
const home = join(root, ".engines");
const portsFile = join(home, "ports.json");

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { cluster: { type: "boolean", default: false }, quiet: { type: "boolean", default: false } },
});

switch (positionals[0]) {
  case "up":
    await bringUp();
    break;
  case "down":
    for (const engine of describeAll(readPorts(portsFile)).reverse()) {
      if (await stopEngine(engine)) say(`${engine.name} stopped`);
    }
    break;
  case "status":
    for (const engine of describeAll(readPorts(portsFile))) console.log(await describeStatus(engine));
    break;
  default:
    console.error("usage: scripts/engines up|down|status [--cluster] [--quiet]");
    process.exitCode = 2;
}

async function bringUp(): Promise<void> {
  const ports = await settlePorts(readPorts(portsFile));
  writePorts(portsFile, ports);
  const wanted = describeAll(ports).filter((engine) => values.cluster || !isClusterNode(engine));
  await Promise.all(wanted.map(bringUpEngine));
}

async function bringUpEngine(engine: Engine): Promise<void> {
  if (findPid(engine) === null) {
    mkdirSync(engine.folder, { recursive: true });
    await startEngine(engine, await engine.prepare());
    await engine.finish?.();
  }
  say(await describeStatus(engine));
}

/** Keeps the ports of running engines. Others get their default port, or another one if it is taken. */
async function settlePorts(ports: Ports): Promise<Ports> {
  const isRunning = (name: string) =>
    describeAll(ports).some((engine) => engine.name === name && findPid(engine) !== null);
  const settle = async (name: string, current: number, usual: number) => (isRunning(name) ? current : claimPort(usual));
  const settleNodes = (current: number[], usual: number[]) =>
    Promise.all(usual.map((port, index) => settle(`nats-${index + 1}`, current[index] ?? port, port)));
  return {
    postgres: await settle("postgres", ports.postgres, defaultPorts.postgres),
    redis: await settle("redis", ports.redis, defaultPorts.redis),
    nats: await settle("nats", ports.nats, defaultPorts.nats),
    natsCluster: await settleNodes(ports.natsCluster, defaultPorts.natsCluster),
    natsRoutes: await settleNodes(ports.natsRoutes, defaultPorts.natsRoutes),
  };
}

function describeAll(ports: Ports): Engine[] {
  return [
    describePostgres(join(home, "postgres"), ports.postgres),
    describeRedis(join(home, "redis"), ports.redis),
    describeNats("nats", join(home, "nats"), ports.nats, root),
    ...ports.natsCluster.map((port, index) => {
      const name = `nats-${index + 1}`;
      const member = { routePort: ports.natsRoutes[index] ?? 0, allRoutePorts: ports.natsRoutes };
      return describeNats(name, join(home, name), port, root, member);
    }),
  ];
}

async function describeStatus(engine: Engine): Promise<string> {
  const pid = findPid(engine);
  if (pid === null) return `${engine.name.padEnd(9)} stopped`;
  const version = await engine.probe().catch(() => "not answering");
  return `${engine.name.padEnd(9)} ${version.padEnd(10)} 127.0.0.1:${engine.port}  pid ${pid}`;
}

function isClusterNode(engine: Engine): boolean {
  return engine.name.startsWith("nats-");
}

function say(line: string): void {
  if (!values.quiet) console.log(line);
}
