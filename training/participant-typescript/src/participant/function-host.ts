import type {
  AggregateFn,
  Context,
  EvaluateFn,
  JsonObject,
  Logger,
  Operation,
  Progress,
  Row,
  TrainFn,
} from "../handlers.ts";
import type { Job } from "../jobs/job.ts";
import type { FunctionInput } from "./function-input.ts";

/** Functions registered with a participant. */
export interface ParticipantFunctions {
  train?: TrainFn;
  evaluate?: EvaluateFn;
  aggregate?: AggregateFn;
}

/** Runs functions on the event loop of this process or in worker threads. */
export interface FunctionHost {
  has(operation: Operation): boolean;
  /** Resolves with the unvalidated return value when the function has ended. */
  call(input: FunctionInput, job: Job): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls the functions on the event loop. Long computations without await block everything else. */
export class LocalFunctionHost implements FunctionHost {
  readonly #functions: ParticipantFunctions;
  readonly #log: Logger;

  constructor(functions: ParticipantFunctions, log: Logger) {
    this.#functions = functions;
    this.#log = log;
  }

  has(operation: Operation): boolean {
    return this.#functions[operation] !== undefined;
  }

  async call(input: FunctionInput, job: Job): Promise<unknown> {
    const context = new JobContext(input, job, this.#log);
    const { train, evaluate, aggregate } = this.#functions;
    // Pass the parameters on directly, because a local variable would keep them in memory while the function runs.
    if (input.operation === "aggregate") {
      return input.blobs.takeList().then((list) => aggregate?.(list, context));
    }
    const rows = await collectRows(input);
    const call = input.operation === "train" ? train : evaluate;
    return input.blobs.takeParameters().then((parameters) => call?.(parameters, rows, context));
  }

  async close(): Promise<void> {}
}

/** Returns all rows of a dataset, or no rows if the dataset is lazy. */
export async function collectRows({ dataset }: Pick<FunctionInput, "dataset">): Promise<Row[]> {
  return dataset.isLazy ? [] : dataset.collect();
}

class JobContext implements Context {
  readonly config: JsonObject;
  readonly weights?: number[];
  readonly log: Logger;
  readonly #input: Pick<FunctionInput, "dataset">;
  readonly #job: Job;

  constructor(input: FunctionInput, job: Job, log: Logger) {
    this.#input = { dataset: input.dataset };
    this.#job = job;
    this.config = input.config;
    this.weights = input.weights;
    this.log = log;
  }

  get signal(): AbortSignal {
    return this.#job.signal;
  }

  get round(): number | undefined {
    return this.#job.round;
  }

  get runId(): string | undefined {
    return this.#job.runId;
  }

  get jobId(): string {
    return this.#job.id;
  }

  // `progress` is a field, not a method, because functions destructure it from the context.
  readonly progress = (progress: Progress): void => {
    this.#job.progress = checkProgress(progress);
  };

  readonly rows = (): AsyncIterable<Row> => this.#input.dataset.rows();
}

/** Validates that progress is JSON-safe. Otherwise, throws an error to the function. */
export function checkProgress({ step, total, metrics }: Progress): Progress {
  const numbers = [step, total ?? 0, ...Object.values(metrics ?? {})];
  if (!numbers.every(Number.isFinite)) throw new TypeError("progress takes finite numbers: { step, total?, metrics? }");
  return { step, ...(total !== undefined && { total }), ...(metrics !== undefined && { metrics: { ...metrics } }) };
}
