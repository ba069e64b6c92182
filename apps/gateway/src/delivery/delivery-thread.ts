import { Worker } from "node:worker_threads";
import type { DeliveryStep } from "@tollgate/journal/delivery/delivery-ports.ts";
import type { DeliveryCommand, DeliveryMessage, DeliveryThreadData } from "./delivery-messages.ts";

export interface DeliveryThreadOptions extends DeliveryThreadData {
  /** Something failed and is being tried again. */
  readonly onTrouble: (step: DeliveryStep | "thread", error: Error) => void;
  /** A part of a journal is not what was written: its records are lost, and someone should know which. */
  readonly onDamage: (damage: Extract<DeliveryMessage, { kind: "damage" }>) => void;
}

/**
 * An event lives from its reading until the ledger has it, a tenth of a second. With the usual space for new objects all
 * of them would outlive a collection and be moved to where collecting is dear.
 */
const YOUNG_EVENTS = { maxYoungGenerationSizeMb: 48 };
const RESTART_MS = 1_000;
const STOP_LIMIT_MS = 5_000;
const ENTRY = new URL("./run-delivery-thread.ts", import.meta.url);

/** Brings journals to the ledger in a thread of its own, with its own connections, so that no call ever waits for it. */
export class DeliveryThread {
  readonly #options: DeliveryThreadOptions;
  readonly #adopted: string[] = [];
  #worker: Worker;
  #restart: NodeJS.Timeout | null = null;
  #isStopping = false;
  #isDraining = false;
  #drainWaiters: (() => void)[] = [];
  #oldestUnconfirmedAtMs: number | null = null;
  #backlog = 0;

  private constructor(options: DeliveryThreadOptions) {
    this.#options = options;
    this.#worker = this.#startWorker();
  }

  /** Begins to deliver what the journals hold and what will be written to them. */
  static start(options: DeliveryThreadOptions): DeliveryThread {
    return new DeliveryThread(options);
  }

  /** When the oldest event that the ledger is not known to have ended, in Unix milliseconds; up to a second old. */
  get oldestUnconfirmedAtMs(): number | null {
    return this.#oldestUnconfirmedAtMs;
  }

  /** Events that were read and are not confirmed, up to a second ago. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Something was synced; without a word it is found within 100 ms. */
  wake(): void {
    this.#send({ kind: "wake" });
  }

  /** Delivers another directory too, which a dead process left behind and whose open calls were closed. */
  adopt(directory: string): void {
    this.#adopted.push(directory);
    this.#send({ kind: "adopt", directory });
  }

  /** The database was restored from a backup: everything that is still on disk is delivered again. */
  redeliverAll(): void {
    this.#send({ kind: "redeliver" });
  }

  /** Once the journals are closed: whether the ledger had everything within that time. What is left waits on disk. */
  drain(timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), timeoutMs);
    this.#drainWaiters.push(() => {
      clearTimeout(timer);
      resolve(true);
    });
    this.#isDraining = true;
    this.#send({ kind: "drain" });
    return promise;
  }

  /** Ends the thread and its connections. What was under way is delivered again by the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const { promise: exited, resolve } = Promise.withResolvers<void>();
    this.#worker.once("exit", () => resolve());
    if (this.#worker.threadId === -1) return;
    this.#send({ kind: "stop" });
    const limit = setTimeout(() => void this.#worker.terminate(), STOP_LIMIT_MS);
    await exited;
    clearTimeout(limit);
  }

  #startWorker(): Worker {
    const { connectionString, carrier, journals } = this.#options;
    const adopted = this.#adopted.map((directory) => ({ directory, isLive: false }));
    const workerData: DeliveryThreadData = { connectionString, carrier, journals: [...journals, ...adopted] };
    const worker = new Worker(ENTRY, { workerData, name: "delivery", resourceLimits: YOUNG_EVENTS });
    worker.on("message", (news: DeliveryMessage) => this.#receive(news));
    worker.on("error", (error) => this.#options.onTrouble("thread", toError(error)));
    worker.once("exit", () => {
      if (!this.#isStopping) this.#restart = setTimeout(() => this.#startAgain(), RESTART_MS);
    });
    return worker;
  }

  /** The journal is on disk, so a thread that died takes nothing with it. */
  #startAgain(): void {
    this.#worker = this.#startWorker();
    if (this.#isDraining) this.#send({ kind: "drain" });
  }

  #receive(news: DeliveryMessage): void {
    if (news.kind === "report") {
      this.#oldestUnconfirmedAtMs = news.oldestUnconfirmedAtMs;
      this.#backlog = news.backlog;
    } else if (news.kind === "drained") {
      for (const resolve of this.#drainWaiters.splice(0)) resolve();
    } else if (news.kind === "trouble") this.#options.onTrouble(news.step, news.error);
    else this.#options.onDamage(news);
  }

  #send(command: DeliveryCommand): void {
    this.#worker.postMessage(command);
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
