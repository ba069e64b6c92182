import { Worker } from "node:worker_threads";
import type { DetectorSpec } from "./build-finders.ts";
import type { Span } from "./finder.ts";

/** What the thread is asked, and what it answers. */
export interface FindingTask {
  readonly spec: DetectorSpec;
  readonly texts: readonly string[];
  readonly position: number;
}
export interface FindingResult {
  /** Of each text, in order. */
  readonly spans: readonly (readonly Span[])[];
  /** The texts with what was found replaced. */
  readonly masked: readonly string[];
}

interface Waiting {
  readonly task: FindingTask;
  resolve(result: FindingResult): void;
  reject(error: Error): void;
}

/** A megabyte takes half a second with a usual pattern. */
const MAX_MS = 5_000;
/** Characters that may wait together: about ten seconds' worth of usual patterns. */
const MAX_WAITING = 32 * 1024 * 1024;
const ENTRY = new URL("./run-finding-thread.ts", import.meta.url);

/**
 * Looks through long texts beside the calls, which must not wait for that. One text after the other: one that takes too
 * long is given up with the thread, and those behind it are looked at by the next.
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
    // Nobody waits for this thread to end a process.
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
