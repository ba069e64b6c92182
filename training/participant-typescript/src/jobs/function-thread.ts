import { Worker } from "node:worker_threads";
import type { DatasetView } from "../datasets/dataset-source.ts";
import type { Logger, Operation, Progress, Row } from "../handlers.ts";
import type { FromThread, RowBatch, ThreadCall, ToThread } from "./thread-messages.ts";
import { describeError, rebuildError } from "./thrown-error.ts";

const BATCH_ROWS = 256;
const MAX_READERS = 16;
/** The thread's entry file, in its source or compiled form. */
const ENTRY = new URL(`./function-thread-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

interface ThreadCallOptions {
  readonly signal: AbortSignal;
  /** Grace period for the function to stop after the signal fires, before its thread is terminated. */
  readonly graceMs: number;
  readonly log: Logger;
  readonly dataset: DatasetView;
  onProgress(progress: Progress): void;
}

/** One worker thread with the user's module loaded. Runs one call at a time. */
export class FunctionThread {
  /** Resolves with the operations the module exports, once it is loaded. */
  readonly ready: Promise<Operation[]>;
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<never>();
  #isAlive = true;

  constructor(module: URL) {
    this.#worker = new Worker(ENTRY, { workerData: { module: module.href } });
    this.#worker.on("error", (error) => this.#end(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on("exit", () => this.#end(new Error("the worker thread ended before its function did")));
    // Between calls, no caller awaits this promise, so a rejection must not count as unhandled.
    this.#ended.promise.catch(() => {});
    const { promise, resolve } = Promise.withResolvers<Operation[]>();
    this.#worker.once("message", (message: FromThread) => message.kind === "ready" && resolve(message.operations));
    this.ready = Promise.race([promise, this.#ended.promise]);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Resolves with the function's return value. Rejects with the function's error, or if the thread exits. */
  async call(call: ThreadCall, options: ThreadCallOptions): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const readers = new Map<number, AsyncIterator<Row>>();
    const onMessage = (message: FromThread): void => {
      if (message.kind === "returned") resolve(message.value);
      else if (message.kind === "threw") reject(rebuildError(message.error));
      else if (message.kind === "progress") options.onProgress(message.progress);
      else if (message.kind === "log") options.log[message.level](message.message);
      else if (message.kind === "want rows") void this.#sendRows(message.reader, readers, options.dataset);
    };
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      this.#send({ kind: "abort", reason: describeError(options.signal.reason) });
      timer = setTimeout(() => void this.terminate(), options.graceMs);
    };
    this.#worker.on("message", onMessage);
    this.#send(call, findBuffers(call));
    if (options.signal.aborted) onAbort();
    else options.signal.addEventListener("abort", onAbort);
    try {
      return await Promise.race([promise, this.#ended.promise]);
    } finally {
      clearTimeout(timer);
      options.signal.removeEventListener("abort", onAbort);
      this.#worker.off("message", onMessage);
      await Promise.all([...readers.values()].map((reader) => reader.return?.()));
    }
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  async #sendRows(reader: number, readers: Map<number, AsyncIterator<Row>>, dataset: DatasetView): Promise<void> {
    const batch: Row[] = [];
    try {
      if (!readers.has(reader) && readers.size >= MAX_READERS) throw new Error("too many concurrent reads of rows()");
      const iterator = readers.get(reader) ?? dataset.rows()[Symbol.asyncIterator]();
      readers.set(reader, iterator);
      while (batch.length < BATCH_ROWS) {
        const next = await iterator.next();
        if (next.done) {
          readers.delete(reader);
          return this.#send({ kind: "rows", reader, rows: batch, isLast: true });
        }
        batch.push(next.value);
      }
      this.#send({ kind: "rows", reader, rows: batch, isLast: false });
    } catch (error) {
      const failed: RowBatch = { kind: "rows", reader, rows: [], isLast: true, error: describeError(error) };
      this.#send(failed);
    }
  }

  #send(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #end(error: Error): void {
    this.#isAlive = false;
    this.#ended.reject(error);
  }
}

/** Returns the buffers that can be transferred to the thread instead of copied: whole buffers, each once. */
function findBuffers({ parameters, parametersList }: ThreadCall): ArrayBuffer[] {
  const all = parameters === null ? parametersList : [parameters, ...parametersList];
  const whole = all.filter(({ buffer, byteLength }) => byteLength > 0 && buffer.byteLength === byteLength);
  return [...new Set(whole.map(({ buffer }) => buffer as ArrayBuffer))];
}
