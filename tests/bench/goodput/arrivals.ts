import type { Target } from "../load/commands.ts";

/** Callers of one organization. */
export interface Crowd {
  readonly target: Target;
  readonly perSecond: number;
  /** How many connections they have, which are all they ever use. */
  readonly connections: number;
}

export interface Arrivals {
  readonly crowds: readonly Crowd[];
  readonly durationMs: number;
  /** Whose CPU time counts. */
  readonly pids: readonly number[];
  readonly seed: number;
}

/** How a call ended. Times are milliseconds since the load began. */
export interface CallEnd {
  readonly kind: "good" | "refused" | "failed";
  readonly dueMs: number;
  readonly latencyMs: number;
  readonly problem: string | null;
}

export interface CrowdResult {
  readonly ends: readonly CallEnd[];
  /** Calls that were wanted while none of its connections was free. */
  readonly unsent: number;
}

export interface ArrivalsResult {
  readonly cpuMs: number;
  readonly crowds: readonly CrowdResult[];
}

export type ArrivalsCommand =
  | ({ readonly kind: "arrivals" } & Arrivals)
  | {
      readonly kind: "closedLoop";
      readonly target: Target;
      readonly connections: number;
      readonly durationMs: number;
      readonly pids: readonly number[];
    };
