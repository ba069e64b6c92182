import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askPort } from "./ask-port.ts";
import type { Engine } from "./engine.ts";
import { findProgram, installPackages } from "./programs.ts";

// 2.10 is the first release line that can sync before it acknowledges; 2.12 has the fixes that make it reliable.
const PINNED = "v2.12.15";

export interface ClusterMember {
  readonly routePort: number;
  readonly allRoutePorts: readonly number[];
}

/** NATS with JetStream, standalone or as a cluster member. */
export function describeNats(name: string, folder: string, port: number, root: string, member?: ClusterMember): Engine {
  return {
    name,
    folder,
    port,
    stopSignal: "SIGTERM",
    async prepare() {
      const program = findServer(join(root, "tools/go/bin"));
      const configuration = join(folder, "nats.conf");
      writeFileSync(configuration, writeConfiguration(name, folder, port, readVersion(program), member));
      return { command: program, args: ["--config", configuration] };
    },
    async probe() {
      const greeting = await askPort(port, "", (text) => text.includes("\r\n"));
      return JSON.parse(greeting.slice("INFO ".length)).version;
    },
  };
}

function writeConfiguration(
  name: string,
  folder: string,
  port: number,
  version: string,
  member?: ClusterMember,
): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const canSyncAlways = major > 2 || (major === 2 && minor >= 12);
  const routes = member?.allRoutePorts.map((routePort) => `"nats://127.0.0.1:${routePort}"`).join(", ");
  return [
    `server_name: "${name}"`,
    `listen: "127.0.0.1:${port}"`,
    `jetstream: { store_dir: "${join(folder, "data")}", max_mem: 256MB, max_file: 4GB${canSyncAlways ? ", sync_interval: always" : ""} }`,
    ...(member ? [`cluster: { name: "tollgate", listen: "127.0.0.1:${member.routePort}", routes: [${routes}] }`] : []),
    "",
  ].join("\n");
}

/** Returns the pinned server built from source, or the system package if that fails. */
function findServer(goBin: string): string {
  const built = join(goBin, "nats-server");
  if (existsSync(built)) return built;
  const go = findProgram("go", ["/usr/local/go/bin"]);
  if (go !== null) {
    console.log(`Building nats-server ${PINNED}`);
    try {
      execFileSync(go, ["install", `github.com/nats-io/nats-server/v2@${PINNED}`], {
        env: { ...process.env, GOBIN: goBin },
        stdio: ["ignore", "ignore", "pipe"],
      });
      return built;
    } catch (error) {
      console.log(
        `nats-server ${PINNED} cannot be had (${String(error).split("\n")[1] ?? error}); using the packaged one`,
      );
    }
  }
  const packaged = findProgram("nats-server");
  if (packaged !== null) return packaged;
  installPackages("nats-server");
  return findProgram("nats-server") ?? "nats-server";
}

function readVersion(program: string): string {
  return /v(\d+\.\d+\.\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1] ?? "0.0.0";
}
