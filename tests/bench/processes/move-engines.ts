import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listProcessTree } from "@tollgate/testkit/processes/clean-up.ts";
import { undoAtEnd } from "./clean-up.ts";
import { cores, everyCore } from "./cores.ts";
import { moveToCores } from "./move-to-cores.ts";

const engines = ["postgres", "redis", "nats"];

/**
 * Keeps a checkout's engines on the core of the load until the end of the run, because a contestant has its core to
 * itself. Otherwise, the database takes part of that core for settlement, and the contestant appears to wait.
 */
export function moveEnginesToLoad(root: string): void {
  const pids = () => engines.flatMap((engine) => readTree(join(root, ".engines", engine, "pid")));
  moveToCores(pids(), String(cores.load));
  // New connections of the database inherit its cores, so all of them are moved back.
  undoAtEnd(async () => moveToCores(pids(), everyCore));
}

function readTree(pidFile: string): number[] {
  if (!existsSync(pidFile)) return [];
  const { pid } = JSON.parse(readFileSync(pidFile, "utf8")) as { readonly pid: number };
  return listProcessTree(pid);
}
