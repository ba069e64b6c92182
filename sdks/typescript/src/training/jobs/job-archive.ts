import type { Job } from "./job.ts";

export interface ArchiveLimits {
  readonly retentionMs: number;
  readonly maxJobs: number;
  /** Of kept results, in memory and in the spool folder together. */
  readonly maxBytes: number;
}

/** Every job a caller may still ask for. What is too old, too many or too large is forgotten, oldest first. */
export class JobArchive {
  readonly #limits: ArchiveLimits;
  readonly #byId = new Map<string, Job>();
  readonly #byKey = new Map<string, Job>();
  /** Jobs whose result is kept, in the order they ended, with its size. */
  readonly #kept = new Map<Job, number>();
  #keptBytes = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  find(id: string): Job | undefined {
    void this.forgetOld();
    return this.#byId.get(id);
  }

  /** The running or succeeded job of an idempotency key. A job that failed leaves its key free. */
  findByKey(key: string): Job | undefined {
    void this.forgetOld();
    return this.#byKey.get(key);
  }

  add(job: Job): void {
    this.#byId.set(job.id, job);
    if (job.key !== undefined) this.#byKey.set(job.key, job);
  }

  /** To be told once when a job has settled. */
  async settle(job: Job): Promise<void> {
    if (job.state !== "succeeded") this.#releaseKey(job);
    if (job.result !== undefined && job.keepsResult) {
      const size = job.result.parameters?.byteLength ?? 0;
      this.#kept.set(job, size);
      this.#keptBytes += size;
    }
    await this.forgetOld();
  }

  /** Forgets the result of a job, and the key it answered for. */
  async forgetResult(job: Job): Promise<void> {
    this.#keptBytes -= this.#kept.get(job) ?? 0;
    this.#kept.delete(job);
    this.#releaseKey(job);
    const result = job.result;
    job.result = undefined;
    await result?.parameters?.dispose();
  }

  /** Drops what has outlived its time or its room. The newest result always stays: its caller is about to read it. */
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
