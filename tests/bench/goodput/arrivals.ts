import type { ClosedLoop, Target } from "../load/commands.ts";

/** The callers of one organization. */
export interface Crowd {
  readonly target: Target;
  readonly perSecond: number;
  /** Fixed number of connections. */
  readonly connections: number;
}

export interface Arrivals {
  readonly crowds: readonly Crowd[];
  readonly durationMs: number;
  /** IDs of the processes whose CPU time is measured. */
  readonly pids: readonly number[];
  readonly seed: number;
}

/** Outcome of a call. Times are in milliseconds since the start of the load. */
export interface CallEnd {
  readonly kind: "good" | "refused" | "failed";
  readonly dueMs: number;
  readonly latencyMs: number;
  readonly problem: string | null;
}

export interface CrowdResult {
  readonly ends: readonly CallEnd[];
  /** Number of calls that were due while no connection was free. */
  readonly unsent: number;
}

export interface ArrivalsResult {
  readonly cpuMs: number;
  readonly crowds: readonly CrowdResult[];
}

export type ArrivalsCommand =
  | ({ readonly kind: "arrivals" } & Arrivals)
  | ({ readonly kind: "closedLoop" } & ClosedLoop);
