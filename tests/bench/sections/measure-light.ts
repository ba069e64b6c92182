import type { Contestant } from "../contestants/contestant.ts";
import { measureSyncMs } from "../measure/measure-sync.ts";
import { type LatencyRow, measureLatency } from "./measure-latency.ts";
import type { Stage } from "./stage.ts";

/** Calls per second of a small installation. Every call pays for its own wake-ups, journal group, and settlement. */
export const lightRate = 20;

export interface LightRows {
  readonly rows: readonly LatencyRow[];
  /** Time of a sync directly after the calls. Each call of Tollgate waits for one. */
  readonly syncMs: number;
}

/** Measures latency and CPU time per call at a few calls per second. */
export async function measureLight(stage: Stage, contestants: readonly Contestant[]): Promise<LightRows> {
  const rows = await measureLatency(stage, contestants, [lightRate]);
  return { rows, syncMs: measureSyncMs(stage.directory) };
}
