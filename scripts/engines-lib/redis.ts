import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { askPort } from "./ask-port.ts";
import type { Engine } from "./engine.ts";
import { findProgram, installPackages } from "./programs.ts";

/** Redis as a cache and counter store. It writes no file, because its data doesn't need to survive a restart. */
export function describeRedis(folder: string, port: number): Engine {
  return {
    name: "redis",
    folder,
    port,
    stopSignal: "SIGTERM",
    async prepare() {
      if (findProgram("redis-server") === null) installPackages("redis-server");
      const configuration = join(folder, "redis.conf");
      writeFileSync(
        configuration,
        [
          "bind 127.0.0.1",
          `port ${port}`,
          "databases 256",
          'save ""',
          "appendonly no",
          `dir ${folder}`,
          "daemonize no",
          "",
        ].join("\n"),
      );
      return { command: findProgram("redis-server") ?? "redis-server", args: [configuration] };
    },
    async probe() {
      const answer = await askPort(port, "INFO server\r\n", (text) => text.includes("tcp_port:"));
      return /redis_version:(\S+)/.exec(answer)?.[1] ?? "unknown";
    },
  };
}
