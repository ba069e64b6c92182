import { Worker } from "node:worker_threads";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Encoding } from "./vocabulary.ts";

/** A counting task for the thread. */
export interface CountingTask {
  readonly id: number;
  readonly encoding: Encoding;
  readonly texts: readonly string[];
}
export interface CountingResult {
  readonly id: number;
  readonly tokens: number;
}

interface Waiting {
  resolve(tokens: number): void;
  reject(error: unknown): void;
}

/**
 * Maximum number of queued tasks. A task with two megabytes of text takes about 300 ms, so a full queue is about ten
 * seconds of work.
 */
const MAX_WAITING = 32;
const ENTRY = new URL("./run-counting-thread.ts", import.meta.url);

/**
 * Counts tokens in a worker thread, so that counting doesn't delay other calls. Counting long text takes about 300 ms.
 * The thread starts with the first task, because most gateways never count
 * long text.
 */
export class CountingThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;

  /** Returns the total number of tokens in these strings. */
  count(texts: readonly string[], encoding: Encoding): Promise<number> {
    if (this.#waiting.size >= MAX_WAITING) {
      throw new Failure("overloaded", "Too many token counts are in progress.", { retryAfterMs: 1_000 });
    }
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const task: CountingTask = { id: this.#lastId, encoding, texts };
    return new Promise((resolve, reject) => {
      this.#waiting.set(task.id, { resolve, reject });
      this.#worker?.postMessage(task);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { name: "counting" });
    // This thread must not keep the process alive.
    worker.unref();
    worker.on("message", ({ id, tokens }: CountingResult) => {
      this.#waiting.get(id)?.resolve(tokens);
      this.#waiting.delete(id);
    });
    worker.on("error", (error) => this.#failAll(error));
    worker.once("exit", () => {
      this.#worker = null;
      this.#failAll(new Failure("service_unavailable", "Tokens could not be counted."));
    });
    return worker;
  }

  #failAll(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
