import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Ports of the engines that `scripts/engines up` starts on 127.0.0.1. */
export interface EnginePorts {
  readonly postgres: number;
  readonly redis: number;
  readonly nats: number;
  /** Ports of three replicating nodes, started only with `--cluster`. */
  readonly natsCluster: readonly number[];
}

const PORTS_FILE = join(import.meta.dirname, "../../../.engines/ports.json");

export function readEnginePorts(): EnginePorts {
  try {
    return JSON.parse(readFileSync(PORTS_FILE, "utf8"));
  } catch (cause) {
    throw new Error("the engines are not up; run: scripts/engines up", { cause });
  }
}
