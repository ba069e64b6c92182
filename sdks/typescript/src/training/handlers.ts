export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Serialized model parameters. What they mean is between the functions of a run; on the wire they are opaque. */
export type Bytes = Uint8Array;

/** One record of a dataset. */
export type Row = JsonObject;

/** Named numbers a function reports beside its result. */
export type Metrics = Record<string, number>;

/** The three things a participant can be asked for. */
export type Operation = "train" | "evaluate" | "aggregate";

export const OPERATIONS: readonly Operation[] = ["train", "evaluate", "aggregate"];

/** How far a job is. */
export interface Progress {
  step: number;
  total?: number;
  metrics?: Metrics;
}

/** Where handlers and the participant write what an operator should read. Never given parameters or tokens. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What a function may know of the job it serves. */
export interface Context {
  /** Fires when the caller cancelled or left, when time is up, and when the participant shuts down. */
  readonly signal: AbortSignal;
  readonly round?: number;
  readonly runId?: string;
  readonly jobId: string;
  readonly config: JsonObject;
  /** Shown by `GET /jobs/:id` and in the coordinator's table. */
  progress(progress: Progress): void;
  /** The dataset row by row, for files that should not be held in memory at once. */
  rows(): AsyncIterable<Row>;
  readonly log: Logger;
}

export interface TrainResult {
  parameters: Bytes;
  numExamples?: number;
  metrics?: Metrics;
  /** Says that empty parameters are meant, not forgotten. */
  allowEmpty?: boolean;
}

export interface EvaluateResult {
  /** Any finite number; higher is better. */
  accuracy: number;
  numExamples?: number;
  metrics?: Metrics;
}

export interface AggregateResult {
  parameters: Bytes;
  metrics?: Metrics;
  allowEmpty?: boolean;
}

type Awaitable<T> = T | Promise<T>;

/** Parameters are null where training starts from an untrained model. */
export type TrainFn = (parameters: Bytes | null, dataset: Row[], context: Context) => Awaitable<Bytes | TrainResult>;
export type EvaluateFn = (
  parameters: Bytes | null,
  dataset: Row[],
  context: Context,
) => Awaitable<number | EvaluateResult>;
export type AggregateFn = (
  parametersList: Bytes[],
  context: Context & { readonly weights?: number[] },
) => Awaitable<Bytes | AggregateResult>;
