import { EventEmitter } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type JobQueuePool, openJobQueuePool } from "@tollgate/db/job-queue-pool.ts";
import type { Logger as OwnLogger } from "@tollgate/runtime/logger.ts";
import { Logger, type Runner, run, type TaskList, type WorkerEvents, type WorkerPool } from "graphile-worker";

interface QueueRunnerOptions {
  /** Connection string of the database owner, which owns the queue. */
  readonly connectionString: string;
  /** Name of this runner in log lines. */
  readonly name: string;
  /** Tasks that this runner handles. Other runners handle all other tasks. */
  readonly tasks: TaskList;
  readonly crontab: string;
  /** Maximum number of concurrent jobs in this process. */
  readonly slots: number;
  /**
   * Polling interval of this runner. Polling finds jobs whose notification was missed, and jobs that were scheduled for
   * a later time.
   */
  readonly lookEveryMs: number;
  /** Number of connections, including one that listens for notifications. */
  readonly poolSize: number;
  readonly logger: OwnLogger;
}

const RESTART_MS = 5_000;
/** Polling interval of each slot. It is only a safety net, because one slot polls for all. */
const SLOT_LOOK_MS = 600_000;

/** Runs jobs from the queue. While the database is unavailable, waits and reconnects. */
export class QueueRunner {
  readonly #options: QueueRunnerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #queue: JobQueuePool;
  #runner: Runner | null = null;

  constructor(options: QueueRunnerOptions) {
    this.#options = options;
    this.#queue = openJobQueuePool(options.connectionString, options.poolSize);
    this.#running = this.#keepRunning();
  }

  /** Stops after the jobs in progress have finished. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#runner?.stop().catch(() => {}); // The runner may have stopped by itself.
    await this.#running;
    await this.#queue.close();
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        this.#runner = await this.#start();
        if (signal.aborted) await this.#runner.stop();
        await this.#runner.promise;
      } catch (error) {
        this.#options.logger.warn(`could not run ${this.#options.name}; will retry`, { error });
      }
      this.#runner = null;
      await pause(RESTART_MS, undefined, { signal }).catch(() => {});
    }
  }

  #start(): Promise<Runner> {
    const { name, tasks, crontab, slots, lookEveryMs, logger } = this.#options;
    return run({
      pgPool: this.#queue.pool,
      taskList: tasks,
      crontab,
      concurrency: slots,
      pollInterval: SLOT_LOOK_MS,
      events: pollWithOneSlot(lookEveryMs),
      noHandleSignals: true,
      logger: new Logger(() => (level, message) => passOn(logger, name, level, message)),
    });
  }
}

/**
 * Makes one free slot look for a job at each interval. A slot that finds a job makes the next free slot look, so all
 * slots start working if there are many jobs. Slots that poll by themselves would send one query each, which find
 * nothing most of the time.
 */
function pollWithOneSlot(everyMs: number): WorkerEvents {
  const events: WorkerEvents = new EventEmitter();
  let pool: WorkerPool | null = null;
  let timer: NodeJS.Timeout | undefined;
  const look = () => pool?.nudge(1);
  const stop = () => {
    pool = null;
    clearInterval(timer);
  };
  events.on("pool:create", ({ workerPool }) => {
    pool = workerPool;
    timer = setInterval(look, everyMs);
  });
  events.on("job:start", look);
  // A slot that has ended must not look for jobs.
  events.on("worker:release", stop);
  events.on("pool:release", stop);
  events.on("pool:gracefulShutdown", stop);
  events.on("pool:forcefulShutdown", stop);
  return events;
}

/**
 * Matches the warning that the queue logs at each start if there are fewer connections than slots. Having fewer
 * connections is intended, because a slot needs a connection only briefly.
 */
const FEWER_CONNECTIONS = /having maxPoolSize \(\d+\) smaller than concurrency/;

/** Forwards only the queue's warnings and errors, not its messages about the start and end of each job. */
function passOn(logger: OwnLogger, name: string, level: string, message: string): void {
  if (FEWER_CONNECTIONS.test(message)) return;
  if (level === "error") logger.error(`${name}: ${message}`);
  else if (level === "warning") logger.warn(`${name}: ${message}`);
}
