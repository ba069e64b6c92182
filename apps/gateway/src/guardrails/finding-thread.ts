import { Worker } from "node:worker_threads";
import type { DetectorSpec } from "./build-detectors.ts";
import type { Span } from "./detector.ts";

/** Task for the thread. */
export interface FindingTask {
  readonly spec: DetectorSpec;
  readonly texts: readonly string[];
  readonly position: number;
}
export interface FindingResult {
  /** Findings for each string, in order. */
  readonly spans: readonly (readonly Span[])[];
  /** Strings with the findings masked. */
  readonly masked: readonly string[];
}

interface Waiting {
  readonly task: FindingTask;
  resolve(result: FindingResult): void;
  reject(error: Error): void;
}

/** Timeout for a task. A megabyte takes half a second with a typical pattern. */
const MAX_MS = 5_000;
/**
 * Maximum number of queued characters. With typical patterns, checking this many characters takes about ten seconds.
 */
const MAX_WAITING = 32 * 1024 * 1024;
const ENTRY = new URL("./run-finding-thread.ts", import.meta.url);

/**
 * Checks long text in a worker thread, so that other calls don't have to wait. The thread runs one task at a time. If a
 * task takes too long, the thread is terminated, and a new thread continues with the remaining tasks.
 */
export class FindingThread {
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #running: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  #waitingCharacters = 0;

  find(task: FindingTask): Promise<FindingResult> {
    if (this.#waitingCharacters > MAX_WAITING)
      return Promise.reject(new Error("too much text is waiting to be checked"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, resolve, reject });
      this.#waitingCharacters += lengthOf(task);
      this.#next();
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    for (const waiting of [this.#finish(), ...this.#queue.splice(0)]) {
      waiting?.reject(new Error("the gateway is closing"));
    }
    await worker?.terminate();
  }

  #next(): void {
    if (this.#running !== null) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    this.#waitingCharacters -= lengthOf(waiting.task);
    this.#worker ??= this.#start();
    this.#running = waiting;
    this.#timer = setTimeout(() => this.#giveUp(new Error("the text could not be checked in time")), MAX_MS);
    this.#worker.postMessage(waiting.task);
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { name: "finding" });
    // This thread must not keep the process alive.
    worker.unref();
    worker.on("message", (result: FindingResult) => {
      if (worker !== this.#worker) return;
      this.#finish()?.resolve(result);
      this.#next();
    });
    worker.on("error", (error) => {
      if (worker === this.#worker) this.#giveUp(error instanceof Error ? error : new Error(String(error)));
    });
    return worker;
  }

  #giveUp(error: Error): void {
    void this.#worker?.terminate();
    this.#worker = null;
    this.#finish()?.reject(error);
    this.#next();
  }

  #finish(): Waiting | null {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const running = this.#running;
    this.#running = null;
    return running;
  }
}

function lengthOf({ texts }: FindingTask): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
