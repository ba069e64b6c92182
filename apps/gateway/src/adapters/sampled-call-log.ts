import type { UnadmittedCall, UnadmittedCallLog } from "../pipeline/log-unadmitted.ts";
import { BatchedWriter } from "./call-logs.ts";

/** A stored call. A call from a flood stands for all calls of its group, whose number is its weight. */
export interface WeightedCall extends UnadmittedCall {
  readonly weight: number;
}

/** How many calls get their own row, per key and error code: enough for diagnosis but not enough to fill a disk. */
const PER_KEY_AND_CODE: Rate = { burst: 10, perSecond: 1 };
/** The same per organization, because an organization can have many keys. */
const PER_ORGANIZATION: Rate = { burst: 100, perSecond: 10 };
/** Maximum number of names whose rate is known. */
const MAX_BUCKETS = 10_000;
/** Interval in which the samples of a flood are written. */
const SAMPLE_EVERY_MS = 10_000;
/** Maximum number of samples that wait for their write. */
const MAX_SAMPLES = 1_000;
/** Duration of the rollups that calls are counted in. Calls of different rollups never share a sample. */
const ROLLUP_MS = 15 * 60_000;
/** Maximum number of batches at shutdown: rows, and samples that the writer had no capacity for. */
const MAX_BATCHES = 3;

interface SampledCallLogParts {
  /** Stores calls. Must ignore calls that are already stored. */
  readonly write: (calls: readonly WeightedCall[]) => Promise<void>;
  readonly now: () => number;
  /** Reports whether a write failed only because the database was unavailable. Its calls are then written later. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Called with the number of calls whose write failed, and whether they will be written later. */
  readonly onFailed: (calls: number, willRetry: boolean, error: unknown) => void;
}

/**
 * Logs calls that were not admitted. Under a flood, most calls have no row of their own. The sample of their group
 * counts them, so that the weights of all rows always add up to the number of calls. Keeps the calls while the database
 * is unavailable. Never holds more than a fixed number of rows, and reports each call that it drops.
 */
export class SampledCallLog implements UnadmittedCallLog {
  readonly #parts: SampledCallLogParts;
  readonly #writer: BatchedWriter<WeightedCall>;
  readonly #rates: TokenBuckets;
  readonly #organizationRates: TokenBuckets;
  readonly #samples = new Map<string, WeightedCall>();
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: SampledCallLogParts) {
    this.#parts = parts;
    this.#writer = new BatchedWriter(parts.write, (calls, error) => this.#keepOrDrop(calls, error));
    this.#rates = new TokenBuckets(PER_KEY_AND_CODE, parts.now);
    this.#organizationRates = new TokenBuckets(PER_ORGANIZATION, parts.now);
  }

  /** Number of rows that have not been written yet. */
  get waiting(): number {
    return this.#writer.waiting + this.#samples.size;
  }

  note(call: UnadmittedCall): void {
    const hasOwnRow =
      this.#rates.take(`${call.keyId}\0${call.errorCode}`) && this.#organizationRates.take(call.organizationId);
    if (hasOwnRow && !this.#writer.isFull) this.#writer.add({ ...call, weight: 1 });
    else this.#count({ ...call, weight: 1 });
  }

  /** Writes everything that waits, also if its sampling window has not ended. Gives up if the database is unavailable. */
  async flush(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && this.waiting > 0; batch += 1) {
      this.#release();
      await this.#writer.flush();
      // The rows are back, because their write failed twice. A shutdown must not wait for the end of an outage.
      if (this.#writer.waiting > 0) break;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const left = [...this.#writer.clear(), ...this.#samples.values()];
    this.#samples.clear();
    if (left.length > 0) this.#drop(left, new Error("the database was unavailable at shutdown"));
  }

  /**
   * Adds a call to the sample of its group. The last call represents the group, because it is the most recent one. The
   * sample of several calls has no session, because they can belong to different ones.
   */
  #count(call: WeightedCall): void {
    const group = groupOf(call);
    const known = this.#samples.get(group);
    if (known !== undefined) {
      this.#samples.set(group, { ...call, session: null, weight: known.weight + call.weight });
      return;
    }
    if (this.#samples.size >= MAX_SAMPLES) this.#release();
    if (this.#samples.size >= MAX_SAMPLES) return this.#drop([call], new Error("too many samples are waiting"));
    this.#samples.set(group, call);
    this.#timer ??= setTimeout(() => this.#endWindow(), SAMPLE_EVERY_MS).unref();
  }

  #endWindow(): void {
    this.#timer = null;
    this.#release();
    if (this.#samples.size > 0) this.#timer = setTimeout(() => this.#endWindow(), SAMPLE_EVERY_MS).unref();
  }

  /** Passes the samples to the writer. Those that it has no capacity for keep counting. */
  #release(): void {
    for (const [group, sample] of this.#samples) {
      if (this.#writer.isFull) return;
      this.#samples.delete(group);
      this.#writer.add(sample);
    }
  }

  /** Keeps calls that could not be written, so that an outage of the database loses none of them. */
  #keepOrDrop(calls: readonly WeightedCall[], error: unknown): void {
    // A row that the database rejects would block all later rows.
    if (!this.#parts.isTemporary(error)) return this.#drop(calls, error);
    this.#parts.onFailed(weightOf(calls), true, error);
    for (const call of calls) {
      if (this.#writer.isFull) this.#count(call);
      else this.#writer.add(call);
    }
  }

  #drop(calls: readonly WeightedCall[], error: unknown): void {
    this.#parts.onFailed(weightOf(calls), false, error);
  }
}

/**
 * Returns the group whose calls one sample can represent: all dimensions that calls are counted by. Names that clients
 * choose freely, such as an unknown model, are not among them, so a client cannot create any number of groups.
 */
function groupOf(call: UnadmittedCall): string {
  const { id, teamId, keyId, errorCode, httpStatus, modelGroup, endpoint, isStream } = call;
  const createdAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const rollup = Math.floor(createdAtMs / ROLLUP_MS);
  return [teamId, keyId, errorCode, httpStatus, modelGroup, endpoint, isStream, rollup].join("\0");
}

function weightOf(calls: readonly WeightedCall[]): number {
  return calls.reduce((sum, { weight }) => sum + weight, 0);
}

interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** The rate of each name. */
class TokenBuckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; atMs: number }>();

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Reports whether the name is within its rate, and counts it if so. */
  take(name: string): boolean {
    const { burst, perSecond } = this.#rate;
    const nowMs = this.#now();
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear();
      bucket = { left: burst, atMs: nowMs };
      this.#buckets.set(name, bucket);
    }
    bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) / 1_000) * perSecond);
    bucket.atMs = nowMs;
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }
}
