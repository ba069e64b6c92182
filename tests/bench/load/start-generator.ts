import { fileURLToPath } from "node:url";
import { ask } from "../processes/ask.ts";
import { cores } from "../processes/cores.ts";
import { startPinned } from "../processes/start-pinned.ts";
import type { ClosedLoop, LatencyResult, LoadCommand, OpenLoop, SliceResult, Target } from "./commands.ts";

export interface Generator {
  pids(): number[];
  runClosedLoop(load: ClosedLoop): Promise<SliceResult>;
  runOpenLoop(load: OpenLoop): Promise<LatencyResult>;
  holdOpen(target: Target, streams: number, perSecond: number): Promise<void>;
  countHeldBytes(): Promise<number>;
  awaitHeldEnd(): Promise<number>;
  dropHeld(): Promise<void>;
}

/** Opening thousands of streams on a slow contestant takes minutes. */
const answerTimeoutMs = 300_000;

/** Starts the load generator in a separate process. */
export function startGenerator(directory: string): Generator {
  const program = startPinned({
    name: "generator",
    core: cores.load,
    command: process.execPath,
    args: [fileURLToPath(new URL("generator.ts", import.meta.url))],
    directory,
    hasChannel: true,
  });
  const order = <Value>(command: LoadCommand) => ask<Value>(program, command, answerTimeoutMs);
  return {
    pids: program.pids,
    runClosedLoop: (load) => order({ kind: "closedLoop", ...load }),
    runOpenLoop: (load) => order({ kind: "openLoop", ...load }),
    holdOpen: (target, streams, perSecond) => order({ kind: "holdOpen", target, streams, perSecond }),
    countHeldBytes: () => order({ kind: "countHeldBytes" }),
    awaitHeldEnd: () => order({ kind: "awaitHeldEnd" }),
    dropHeld: () => order({ kind: "dropHeld" }),
  };
}
