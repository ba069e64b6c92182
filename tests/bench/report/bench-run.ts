import type { BodiesRows } from "../sections/measure-bodies.ts";
import type { HeldRow } from "../sections/measure-held.ts";
import type { HoldsRow } from "../sections/measure-holds.ts";
import type { IdleProcess } from "../sections/measure-idle.ts";
import type { LatencyRow } from "../sections/measure-latency.ts";
import type { LightRows } from "../sections/measure-light.ts";
import type { SliceRow } from "../sections/run-slices.ts";

/** All results of one run. A section that was not run has no rows. */
export interface BenchRun {
  readonly startedAt: string;
  readonly elapsedSeconds: number;
  readonly rounds: number;
  /** Calls that each contestant served before its first slice. */
  readonly warmUpCalls: number;
  readonly syncMs: number;
  readonly json: readonly SliceRow[];
  readonly latency: readonly LatencyRow[];
  readonly sse: readonly SliceRow[];
  readonly bodies: readonly BodiesRows[];
  readonly light: LightRows | null;
  /** One row per process of Tollgate. */
  readonly idle: readonly IdleProcess[];
  readonly held: readonly HeldRow[];
  readonly holds: HoldsRow | null;
  readonly versions: ReadonlyMap<string, string>;
  readonly absent: ReadonlyMap<string, string>;
}
