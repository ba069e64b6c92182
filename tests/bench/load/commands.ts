/** Where a load goes and what a right answer looks like. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The request's bytes as base64, as they cross a channel that speaks JSON. */
  readonly request: string;
  readonly isStreamed: boolean;
  readonly isHeld: boolean;
  /** The model's name that answers have to carry. */
  readonly model: string;
}

export type LoadCommand =
  | { kind: "closedLoop"; target: Target; connections: number; durationMs: number; pids: number[] }
  | { kind: "openLoop"; target: Target; perSecond: number; durationMs: number }
  | { kind: "holdOpen"; target: Target; streams: number; perSecond: number }
  | { kind: "countHeldBytes" }
  | { kind: "awaitHeldEnd" }
  | { kind: "dropHeld" };

/** One slice of load: calls that ended well, and what the contestant's processes used meanwhile. */
export interface SliceResult {
  readonly completed: number;
  readonly elapsedMs: number;
  readonly contestantCpuMs: number;
}

export interface LatencyResult {
  readonly completed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
