import { ID_BYTES } from "../record-layout.ts";
import { OpenCalls } from "./open-calls.ts";

interface Progress {
  /** Number of unconfirmed closing records, plus open records not yet closed. */
  unresolved: number;
  hasEnded: boolean;
}

/** Counts, per segment, the records that keep the segment from being finished. */
export class SegmentProgress {
  readonly #segments = new Map<number, Progress>();
  readonly #openCalls = new OpenCalls();
  #finished: number[] = [];

  /**
   * Records opened calls. The segment is retained until their closing records have been read, in any segment. `ids` are
   * IDs without separators.
   */
  open(ids: Buffer, segment: number): void {
    if (ids.length === 0) return;
    this.#find(segment).unresolved += ids.length / ID_BYTES;
    for (let offset = 0; offset < ids.length; offset += ID_BYTES) {
      const earlier = this.#openCalls.add(ids, offset, segment);
      // The record was rewritten after a disk error. The copy in the segment that could be synced counts.
      if (earlier !== null) this.resolve(earlier, 1);
    }
  }

  /** Resolves the open record of the call whose ID is at `offset`, because recovery will find the call closed. */
  close(bytes: Buffer, offset: number): void {
    const segment = this.#openCalls.remove(bytes, offset);
    if (segment !== null) this.resolve(segment, 1);
  }

  /** Adds events in this segment that must be confirmed. */
  await(segment: number, count: number): void {
    if (count > 0) this.#find(segment).unresolved += count;
  }

  /** Removes pending records of this segment. */
  resolve(segment: number, count: number): void {
    const progress = this.#find(segment);
    progress.unresolved -= count;
    this.#check(segment, progress);
  }

  /** Marks a segment as complete. */
  end(segment: number): void {
    const progress = this.#find(segment);
    progress.hasEnded = true;
    this.#check(segment, progress);
  }

  /** Returns the segments finished since the last call. */
  takeFinished(): readonly number[] {
    if (this.#finished.length === 0) return NONE;
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  #check(segment: number, progress: Progress): void {
    if (!progress.hasEnded || progress.unresolved > 0) return;
    this.#segments.delete(segment);
    this.#finished.push(segment);
  }

  #find(segment: number): Progress {
    let progress = this.#segments.get(segment);
    if (progress === undefined) {
      progress = { unresolved: 0, hasEnded: false };
      this.#segments.set(segment, progress);
    }
    return progress;
  }
}

const NONE: readonly number[] = [];
