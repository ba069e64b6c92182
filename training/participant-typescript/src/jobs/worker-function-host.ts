import type { Logger, Operation } from "../handlers.ts";
import { collectRows, type FunctionHost } from "../participant/function-host.ts";
import type { FunctionInput } from "../participant/function-input.ts";
import { FunctionThread } from "./function-thread.ts";
import type { Job } from "./job.ts";

/**
 * Runs the functions of a module in worker threads, so that the event loop stays free and functions can be terminated.
 */
export class WorkerFunctionHost implements FunctionHost {
  readonly #module: URL;
  readonly #graceMs: number;
  readonly #log: Logger;
  readonly #threads = new Set<FunctionThread>();
  readonly #idle: FunctionThread[] = [];

  /** Loads the module once, so that errors in the module are found before the participant starts listening. */
  static async open(module: URL, graceMs: number, log: Logger): Promise<WorkerFunctionHost> {
    const host = new WorkerFunctionHost(module, graceMs, log);
    host.#idle.push(await host.#openThread());
    return host;
  }

  private constructor(module: URL, graceMs: number, log: Logger) {
    this.#module = module;
    this.#graceMs = graceMs;
    this.#log = log;
  }

  #operations: readonly Operation[] = [];

  has(operation: Operation): boolean {
    return this.#operations.includes(operation);
  }

  async call(input: FunctionInput, job: Job): Promise<unknown> {
    const rows = await collectRows(input);
    const isList = input.operation === "aggregate";
    const parametersList = isList ? await input.blobs.takeList() : [];
    const parameters = isList ? null : await input.blobs.takeParameters();
    const thread = this.#takeIdle() ?? (await this.#openThread());
    const { operation, weights, config, dataset } = input;
    const { round, runId, id: jobId } = job;
    try {
      return await thread.call(
        { kind: "call", operation, parameters, parametersList, rows, weights, config, round, runId, jobId },
        {
          signal: job.signal,
          graceMs: this.#graceMs,
          log: this.#log,
          dataset,
          onProgress: (progress) => {
            job.progress = progress;
          },
        },
      );
    } finally {
      if (thread.isAlive) this.#idle.push(thread);
      else this.#threads.delete(thread);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  /** Skips threads that exited after their call. Code that the module left running can cause such an exit. */
  #takeIdle(): FunctionThread | undefined {
    const thread = this.#idle.pop();
    if (thread === undefined || thread.isAlive) return thread;
    this.#threads.delete(thread);
    return this.#takeIdle();
  }

  async #openThread(): Promise<FunctionThread> {
    const thread = new FunctionThread(this.#module);
    this.#threads.add(thread);
    this.#operations = await thread.ready;
    return thread;
  }
}
