import type { Operation } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { Job, type JobResult, type JobSpec } from "./job.ts";
import { type ArchiveLimits, JobArchive } from "./job-archive.ts";
import { JobSlots, type SlotCounts } from "./job-slots.ts";
import { RoundMemory } from "./round-memory.ts";

const SWEEP_MS = 60_000;
const BUSY_RETRY_SECONDS = 2;

interface BoardOptions extends ArchiveLimits {
  readonly slots: SlotCounts;
  readonly maxQueue: number;
  /**
   * Grace period for a function to stop after its signal fires, before the caller gets a response without the result.
   */
  readonly graceMs: number;
  /** Called when a function doesn't stop in time. The handler may exit the process to free the slot. */
  onStuck(job: Job): void;
}

/** Manages a participant's jobs: starts, queues, and stops them, and replays results by idempotency key. */
export class JobBoard {
  readonly #options: BoardOptions;
  readonly #slots: JobSlots;
  readonly #archive: JobArchive;
  readonly #rounds = new RoundMemory();
  readonly #queue: Job[] = [];
  readonly #running = new Set<Job>();
  readonly #sweep: NodeJS.Timeout;
  #idle = Promise.withResolvers<void>();
  #isDraining = false;

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#slots = new JobSlots(options.slots);
    this.#archive = new JobArchive(options);
    this.#sweep = setInterval(() => void this.#archive.forgetOld(), SWEEP_MS).unref();
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** The longest-running job, if any. */
  get current(): Job | undefined {
    return this.#running.values().next().value;
  }

  find(id: string): Job {
    const job = this.#archive.find(id);
    if (job === undefined) throw new ParticipantFailure("NOT_FOUND", "job not found");
    return job;
  }

  /**
   * Throws if the job would be refused, before the body is read. Known idempotency keys are not refused, because they
   * may join or replay a job.
   */
  checkRoom(operation: Operation, key: string | undefined): void {
    if (this.#isDraining) throw shuttingDown();
    if (key !== undefined && this.#archive.findByKey(key) !== undefined) return;
    if (!this.#slots.hasFree(operation) && this.#queue.length >= this.#options.maxQueue) throw this.busy();
  }

  /** Starts or queues the job, or returns the existing job for its idempotency key. Throws if the job must not run. */
  submit(spec: JobSpec): { job: Job; isNew: boolean } {
    const known = spec.key === undefined ? undefined : this.#archive.findByKey(spec.key);
    if (known !== undefined) {
      if (known.bodySha256 !== spec.bodySha256 || known.operation !== spec.operation) {
        throw new ParticipantFailure("CONFLICT", "this Idempotency-Key was already used with a different body");
      }
      return { job: known, isNew: false };
    }
    this.checkRoom(spec.operation, undefined);
    this.#rounds.check(spec.runId, spec.round);
    const job = new Job(spec);
    this.#archive.add(job);
    if (this.#slots.hasFree(job.operation)) this.#occupySlot(job);
    else this.#queue.push(job);
    return { job, isNew: true };
  }

  /**
   * Responds to the caller immediately. The slot is freed when the function ends. Does nothing if the job has settled.
   */
  cancel(job: Job): void {
    this.#stop(job, new ParticipantFailure("CANCELLED", "the job was cancelled"));
  }

  /** Deletes a result that cannot be requested again. */
  async release(job: Job): Promise<void> {
    if (!job.keepsResult) await this.#archive.forgetResult(job);
  }

  /** Stops accepting jobs. Refuses queued jobs, gives running jobs `limitMs` to finish, then stops them. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    for (const job of [...this.#queue]) this.#stop(job, shuttingDown());
    if (await this.#becomesIdle(limitMs)) return;
    for (const job of this.#running) this.#stop(job, shuttingDown());
    await this.#becomesIdle(this.#options.graceMs);
  }

  /** Stops the periodic cleanup. */
  close(): void {
    clearInterval(this.#sweep);
  }

  busy(): ParticipantFailure {
    const current = this.current?.id;
    return new ParticipantFailure("BUSY", "busy with another job", {
      headers: { "retry-after": String(BUSY_RETRY_SECONDS) },
      ...(current !== undefined && { details: { currentJobId: current } }),
    });
  }

  #occupySlot(job: Job): void {
    this.#slots.take(job.operation);
    this.#running.add(job);
    // Defer the start, so that an asynchronous caller always sees "queued" first.
    setImmediate(() => void this.#execute(job));
  }

  /** Gives the slot to the job that has waited longest and can run now, ahead of new jobs. */
  #freeSlot(job: Job): void {
    this.#running.delete(job);
    this.#slots.free(job.operation);
    const index = this.#queue.findIndex((waiting) => this.#slots.hasFree(waiting.operation));
    const [next] = index < 0 ? [] : this.#queue.splice(index, 1);
    if (next !== undefined) this.#occupySlot(next);
    if (this.#running.size === 0) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    }
  }

  async #execute(job: Job): Promise<void> {
    const outcome = await this.#run(job);
    // Free the slot before responding, because the caller may immediately send the next call.
    this.#freeSlot(job);
    if (outcome === undefined) return;
    if (outcome instanceof ParticipantFailure) await this.#fail(job, outcome);
    else await this.#succeed(job, outcome);
  }

  /** Resolves when the function has ended. Undefined if the job was stopped before it could start. */
  async #run(job: Job): Promise<JobResult | ParticipantFailure | undefined> {
    const work = job.takeWork();
    if (work === undefined) return undefined;
    job.start();
    const timer = setTimeout(() => this.#timeOut(job), job.timeoutMs);
    try {
      return await work.run(job);
    } catch (error) {
      return toFailure(error, job);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Discards a result that arrives after the job was canceled or timed out. */
  async #succeed(job: Job, result: JobResult): Promise<void> {
    if (job.isSettled) {
      await result.parameters?.dispose();
      return;
    }
    job.succeed(result);
    await this.#archive.settle(job);
  }

  async #fail(job: Job, failure: ParticipantFailure): Promise<void> {
    if (job.isSettled) return;
    job.fail(failure);
    await this.#archive.settle(job);
  }

  /** Aborts the function. It may still return a result within the grace period. */
  #timeOut(job: Job): void {
    const { operation, timeoutMs } = job;
    const failure = new ParticipantFailure(
      "HANDLER_TIMEOUT",
      `${operation} did not finish within ${timeoutMs / 1000} seconds`,
    );
    job.abort(failure);
    const timer = setTimeout(() => {
      if (!job.isSettled) void this.#fail(job, failure).then(() => this.#options.onStuck(job));
    }, this.#options.graceMs);
    void job.settled.then(() => clearTimeout(timer));
  }

  #stop(job: Job, reason: ParticipantFailure): void {
    if (job.isSettled) return;
    const index = this.#queue.indexOf(job);
    if (index >= 0) this.#queue.splice(index, 1);
    void job.takeWork()?.discard();
    job.abort(reason);
    void this.#fail(job, reason);
  }

  async #becomesIdle(limitMs: number): Promise<boolean> {
    if (this.#running.size === 0) return true;
    const limit = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => limit.resolve(false), limitMs);
    const isIdle = await Promise.race([this.#idle.promise.then(() => true), limit.promise]);
    clearTimeout(timer);
    return isIdle;
  }
}

function shuttingDown(): ParticipantFailure {
  return new ParticipantFailure("SHUTTING_DOWN", "shutting down", { headers: { "retry-after": "30" } });
}

/** Converts a function's error for the caller. If the signal fired, the signal's reason is used. */
function toFailure(error: unknown, job: Job): ParticipantFailure {
  if (job.signal.aborted && job.signal.reason instanceof ParticipantFailure) return job.signal.reason;
  if (error instanceof ParticipantFailure) return error;
  return new ParticipantFailure("HANDLER_ERROR", `${job.operation} failed`, { cause: error });
}
