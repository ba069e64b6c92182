import type { Job } from "./job.ts";

export interface ArchiveLimits {
  readonly retentionMs: number;
  readonly maxJobs: number;
  /** Maximum total size of stored results, in memory and in the spool folder. */
  readonly maxBytes: number;
}

/**
 * Jobs that callers can still query. Deletes the oldest jobs first when the jobs exceed their age, count, or size
 * limit.
 */
export class JobArchive {
  readonly #limits: ArchiveLimits;
  readonly #byId = new Map<string, Job>();
  readonly #byKey = new Map<string, Job>();
  /** Jobs with a stored result and its size, in the order they finished. */
  readonly #kept = new Map<Job, number>();
  #keptBytes = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  find(id: string): Job | undefined {
    void this.forgetOld();
    return this.#byId.get(id);
  }

  /** Returns the running or successful job for an idempotency key. Failed jobs release their key. */
  findByKey(key: string): Job | undefined {
    void this.forgetOld();
    return this.#byKey.get(key);
  }

  add(job: Job): void {
    this.#byId.set(job.id, job);
    if (job.key !== undefined) this.#byKey.set(job.key, job);
  }

  /** Must be called once, when a job has settled. */
  async settle(job: Job): Promise<void> {
    if (job.state !== "succeeded") this.#releaseKey(job);
    if (job.result !== undefined && job.keepsResult) {
      const size = job.result.parameters?.byteLength ?? 0;
      this.#kept.set(job, size);
      this.#keptBytes += size;
    }
    await this.forgetOld();
  }

  /** Deletes the result of a job and releases its idempotency key. */
  async forgetResult(job: Job): Promise<void> {
    this.#keptBytes -= this.#kept.get(job) ?? 0;
    this.#kept.delete(job);
    this.#releaseKey(job);
    const result = job.result;
    job.result = undefined;
    await result?.parameters?.dispose();
  }

  /**
   * Deletes results and jobs over their age or size limit. Keeps the newest result unless it has expired, because its
   * caller is about to read it.
   */
  async forgetOld(): Promise<void> {
    const oldest = Date.now() - this.#limits.retentionMs;
    const gone: Promise<void>[] = [];
    for (const job of this.#kept.keys()) {
      const isCrowded = this.#keptBytes > this.#limits.maxBytes && this.#kept.size > 1;
      if (!isCrowded && (job.finishedAt as number) > oldest) break;
      gone.push(this.forgetResult(job));
    }
    for (const job of this.#byId.values()) {
      const isCrowded = this.#byId.size > this.#limits.maxJobs;
      if (!job.isSettled) continue;
      if (!isCrowded && (job.finishedAt as number) > oldest) break;
      this.#byId.delete(job.id);
      gone.push(this.forgetResult(job));
    }
    await Promise.all(gone);
  }

  #releaseKey(job: Job): void {
    if (job.key !== undefined && this.#byKey.get(job.key) === job) this.#byKey.delete(job.key);
  }
}
