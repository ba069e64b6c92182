import type { ThreadTimes } from "../measure/process-usage.ts";

/** The target of a load, and the expected response. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Request bytes as base64, because the command channel uses JSON. */
  readonly request: string;
  readonly isStreamed: boolean;
  readonly isLong: boolean;
  readonly isHeld: boolean;
  /** Model name that responses must contain. */
  readonly model: string;
}

/** A load that keeps every connection busy. */
export interface ClosedLoop {
  readonly target: Target;
  readonly connections: number;
  /** The load ends after this time, or after this number of calls. */
  readonly end: { readonly afterMs: number } | { readonly afterCalls: number };
  /** Processes whose CPU time is counted. */
  readonly pids: readonly number[];
}

/** A load at a fixed rate. */
export interface OpenLoop {
  readonly target: Target;
  readonly perSecond: number;
  readonly durationMs: number;
  /** Processes whose CPU time is counted. */
  readonly pids: readonly number[];
}

export type LoadCommand =
  | ({ kind: "closedLoop" } & ClosedLoop)
  | ({ kind: "openLoop" } & OpenLoop)
  | { kind: "holdOpen"; target: Target; streams: number; perSecond: number }
  | { kind: "countHeldBytes" }
  | { kind: "awaitHeldEnd" }
  | { kind: "dropHeld" };

/** Result of one slice of load: successful calls, and the resources that the contestant's processes used. */
export interface SliceResult {
  readonly completed: number;
  readonly elapsedMs: number;
  readonly contestantCpuMs: number;
  /** The same CPU time by group of threads. */
  readonly threadCpuMs: ThreadTimes;
}

export interface LatencyResult {
  readonly completed: number;
  /** CPU time per call after the first part of the load. */
  readonly cpuMicros: number;
  readonly threadCpuMicros: ThreadTimes;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
