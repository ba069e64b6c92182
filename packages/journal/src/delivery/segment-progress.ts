interface Progress {
  /** Number of unconfirmed closing records, plus open records not yet closed. */
  unresolved: number;
  hasEnded: boolean;
}

/** Counts, per segment, the records that keep the segment from being finished. */
export class SegmentProgress {
  readonly #segments = new Map<number, Progress>();
  /** Open calls, with the segment of their open record. */
  readonly #openCalls = new Map<string, number>();
  #finished: number[] = [];

  /** Records an opened call. The segment is retained until the call's closing record has been read, in any segment. */
  open(id: string, segment: number): void {
    this.#find(segment).unresolved += 1;
    const earlier = this.#openCalls.get(id);
    this.#openCalls.set(id, segment);
    // The record was rewritten after a disk error. The copy in the segment that could be synced counts.
    if (earlier !== undefined) this.resolve(earlier);
  }

  /** Resolves the call's open record in any segment, because recovery will find the call closed. */
  close(id: string): void {
    const segment = this.#openCalls.get(id);
    if (segment === undefined) return;
    this.#openCalls.delete(id);
    this.resolve(segment);
  }

  /** Adds an event in this segment that must be confirmed. */
  await(segment: number): void {
    this.#find(segment).unresolved += 1;
  }

  /** Removes one pending record of this segment. */
  resolve(segment: number): void {
    const progress = this.#find(segment);
    progress.unresolved -= 1;
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
