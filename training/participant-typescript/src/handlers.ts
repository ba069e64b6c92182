export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Serialized model parameters. Only a run's functions interpret the parameters. On the wire, they are opaque. */
export type Bytes = Uint8Array;

/** One record of a dataset. */
export type Row = JsonObject;

/** Named numbers that a function reports with its result. */
export type Metrics = Record<string, number>;

/** Operations that a participant can perform. */
export type Operation = "train" | "evaluate" | "aggregate";

export const OPERATIONS: readonly Operation[] = ["train", "evaluate", "aggregate"];

/** Progress of a job. */
export interface Progress {
  step: number;
  total?: number;
  metrics?: Metrics;
}

/** Log for the operator, used by handlers and the participant. Never receives parameters or tokens. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Job context passed to a function. */
export interface Context {
  /** Fires when the caller cancels or disconnects, on timeout, and when the participant shuts down. */
  readonly signal: AbortSignal;
  readonly round?: number;
  readonly runId?: string;
  readonly jobId: string;
  readonly config: JsonObject;
  /** Reports progress, shown by `GET /jobs/:id` and in the coordinator's table. */
  progress(progress: Progress): void;
  /** Yields the dataset row by row, for files too large for memory. */
  rows(): AsyncIterable<Row>;
  readonly log: Logger;
}

export interface TrainResult {
  parameters: Bytes;
  numExamples?: number;
  metrics?: Metrics;
  /** Confirms that empty parameters are intended. */
  allowEmpty?: boolean;
}

export interface EvaluateResult {
  /** Accuracy as any finite number; higher is better. */
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

/** Parameters are null if training starts from an untrained model. */
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
