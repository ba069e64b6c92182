import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the engines of `scripts/engines up` listen on 127.0.0.1. */
export interface EnginePorts {
  readonly postgres: number;
  readonly redis: number;
  readonly nats: number;
  /** Three nodes that replicate; up only with `--cluster`. */
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
