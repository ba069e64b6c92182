import { Worker } from "node:worker_threads";
import type { DeliveryStep } from "@tollgate/journal/delivery/delivery-ports.ts";
import type { DeliveryCommand, DeliveryMessage, DeliveryThreadData } from "./delivery-messages.ts";

export interface DeliveryThreadOptions extends DeliveryThreadData {
  /** Called for a failure that will be retried. */
  readonly onTrouble: (step: DeliveryStep | "thread", error: Error) => void;
  /** Called for a damaged section of a journal, whose records are lost. */
  readonly onDamage: (damage: Extract<DeliveryMessage, { kind: "damage" }>) => void;
}

const RESTART_MS = 1_000;
const STOP_LIMIT_MS = 5_000;
const ENTRY = new URL("./run-delivery-thread.ts", import.meta.url);

/**
 * Delivers journals to the ledger in a separate thread with its own connections, so that no call ever waits for
 * delivery.
 */
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

  /** Starts delivering the current and future contents of the journals. */
  static start(options: DeliveryThreadOptions): DeliveryThread {
    return new DeliveryThread(options);
  }

  /** End time of the oldest unconfirmed event, in Unix milliseconds. The value can be up to one second old. */
  get oldestUnconfirmedAtMs(): number | null {
    return this.#oldestUnconfirmedAtMs;
  }

  /** Number of events that were read but not confirmed. The value can be up to one second old. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Also delivers the journal directory of a dead process. The journal's open calls must already be closed. */
  adopt(directory: string): void {
    this.#adopted.push(directory);
    this.#send({ kind: "adopt", directory });
  }

  /** Redelivers everything that is still on disk. Used after the database has been restored from a backup. */
  redeliverAll(): void {
    this.#send({ kind: "redeliver" });
  }

  /**
   * Waits until the ledger has received all events of the closed journals, and reports whether that happened within the
   * timeout. Undelivered events stay on disk.
   */
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

  /** Stops the thread and closes its connections. The next start redelivers unfinished batches. */
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
    const adopted = this.#adopted.map((directory) => ({ directory, writer: null }));
    const workerData: DeliveryThreadData = { connectionString, carrier, journals: [...journals, ...adopted] };
    const worker = new Worker(ENTRY, { workerData, name: "delivery" });
    worker.on("message", (news: DeliveryMessage) => this.#receive(news));
    worker.on("error", (error) => this.#options.onTrouble("thread", toError(error)));
    worker.once("exit", () => {
      if (!this.#isStopping) this.#restart = setTimeout(() => this.#startAgain(), RESTART_MS);
    });
    return worker;
  }

  /** Restarts the thread. The journal is on disk, so no events are lost. */
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
