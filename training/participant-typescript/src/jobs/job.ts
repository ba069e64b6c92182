import { randomUUID } from "node:crypto";
import type { JsonObject, Operation, Progress } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import type { StoredBytes } from "../wire/stored-bytes.ts";

type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

/** Validated result of a function: the small fields, and the parameters separately. */
export interface JobResult {
  readonly fields: JsonObject;
  readonly parameters?: StoredBytes;
}

/** Description of a job before it runs. */
export interface JobSpec {
  readonly operation: Operation;
  readonly round?: number;
  readonly runId?: string;
  /** The caller's idempotency key. */
  readonly key?: string;
  readonly bodySha256: string;
  readonly timeoutMs: number;
  /** True if the result can be requested after the call that started the job has ended. */
  readonly keepsResult: boolean;
  /** Runs the function. The promise settles when the function has ended, because only then is the slot free. */
  run(job: Job): Promise<JobResult>;
  /** Releases the job's resources if it never runs. */
  discard(): Promise<void>;
}

/** One function call, from its acceptance until its result is deleted. */
export class Job {
  readonly id = `job_${randomUUID()}`;
  readonly operation: Operation;
  readonly round?: number;
  readonly runId?: string;
  readonly key?: string;
  readonly bodySha256: string;
  readonly timeoutMs: number;
  readonly keepsResult: boolean;
  readonly createdAt = Date.now();
  /** Resolves when the job has succeeded, failed, or been canceled, possibly before its function has ended. */
  readonly settled: Promise<void>;
  state: JobState = "queued";
  progress?: Progress;
  startedAt?: number;
  finishedAt?: number;
  failure?: ParticipantFailure;
  result?: JobResult;
  readonly #controller = new AbortController();
  readonly #settle: () => void;
  readonly #waiting = new Set<() => void>();
  #work?: Pick<JobSpec, "run" | "discard">;

  constructor(spec: JobSpec) {
    this.operation = spec.operation;
    this.round = spec.round;
    this.runId = spec.runId;
    this.key = spec.key;
    this.bodySha256 = spec.bodySha256;
    this.timeoutMs = spec.timeoutMs;
    this.keepsResult = spec.keepsResult;
    this.#work = spec;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isSettled(): boolean {
    return this.finishedAt !== undefined;
  }

  get durationMs(): number {
    return (this.finishedAt ?? Date.now()) - (this.startedAt ?? this.finishedAt ?? Date.now());
  }

  /**
   * Calls `tell` once, when the job has settled. Returns a function that unsubscribes, because a job may have thousands
   * of callers.
   */
  onSettled(tell: () => void): () => void {
    if (this.isSettled) tell();
    else this.#waiting.add(tell);
    return () => this.#waiting.delete(tell);
  }

  /** Signals the function to stop. */
  abort(reason: ParticipantFailure): void {
    this.#controller.abort(reason);
  }

  /** Returns the work once and releases it, so that a stored job does not retain its input parameters. */
  takeWork(): Pick<JobSpec, "run" | "discard"> | undefined {
    const work = this.#work;
    this.#work = undefined;
    return work;
  }

  start(): void {
    this.state = "running";
    this.startedAt = Date.now();
  }

  succeed(result: JobResult): void {
    this.result = result;
    this.#finish("succeeded");
  }

  fail(failure: ParticipantFailure): void {
    const { code, message, extras } = failure;
    this.failure = new ParticipantFailure(code, message, { ...extras, jobId: this.id });
    this.#finish(code === "CANCELLED" ? "cancelled" : "failed");
  }

  /**
   * Drops the error's cause after logging, because jobs are stored for a long time, and the cause may retain all of the
   * function's data.
   */
  forgetCause(): void {
    if (this.failure === undefined) return;
    const { code, message, extras } = this.failure;
    this.failure = new ParticipantFailure(code, message, { ...extras, cause: undefined });
  }

  #finish(state: JobState): void {
    this.state = state;
    this.finishedAt = Date.now();
    this.#settle();
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
  }
}
