import type { Refusal, RefusalLog } from "../pipeline/note-refusal.ts";
import { BatchedWriter } from "./batched-writer.ts";

/** Burst and rate of logged refusals per organization: enough for diagnosis but not enough to fill a disk. */
const BURST = 10;
const PER_SECOND = 1;
const MAX_ORGANIZATIONS = 10_000;

interface TokenBucket {
  left: number;
  atMs: number;
}

/** Logs a sample of each organization's refused calls. The log is written every second. */
export class SampledRefusals implements RefusalLog {
  readonly #writer: BatchedWriter<Refusal>;
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(
    write: (refusals: readonly Refusal[]) => Promise<void>,
    now: () => number,
    onLost: (rows: number, error: unknown) => void,
  ) {
    this.#writer = new BatchedWriter(write, onLost);
    this.#now = now;
  }

  /** Number of refusals that have not been written yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  note(refusal: Refusal): void {
    if (this.#mayKeep(refusal.organizationId)) this.#writer.add(refusal);
  }

  /** Writes all pending refusals. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #mayKeep(organizationId: string): boolean {
    const nowMs = this.#now();
    const known = this.#buckets.get(organizationId) ?? { left: BURST, atMs: nowMs };
    const left = Math.min(BURST, known.left + ((nowMs - known.atMs) / 1_000) * PER_SECOND);
    if (this.#buckets.size >= MAX_ORGANIZATIONS) this.#buckets.clear();
    this.#buckets.set(organizationId, { left: left < 1 ? left : left - 1, atMs: nowMs });
    return left >= 1;
  }
}
