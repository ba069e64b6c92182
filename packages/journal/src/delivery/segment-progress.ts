interface Progress {
  /** Closing records not yet confirmed, plus open records not yet closed. */
  unresolved: number;
  hasEnded: boolean;
}

/** Counts, for each segment that was read, what still keeps it from being finished. */
export class SegmentProgress {
  readonly #segments = new Map<number, Progress>();
  /** Calls that are under way, with the segment of their open record. */
  readonly #openCalls = new Map<string, number>();
  #finished: number[] = [];

  /** A call was opened in this segment; the segment stays until the call's closing record was read somewhere. */
  open(id: string, segment: number): void {
    this.#find(segment).unresolved += 1;
    const earlier = this.#openCalls.get(id);
    this.#openCalls.set(id, segment);
    // Written again after a disk error: the copy that counts is the one in the segment that could be synced.
    if (earlier !== undefined) this.resolve(earlier);
  }

  /** A closing record was read. The open record is resolved by it, wherever that is: recovery will find the call closed. */
  close(id: string): void {
    const segment = this.#openCalls.get(id);
    if (segment === undefined) return;
    this.#openCalls.delete(id);
    this.resolve(segment);
  }

  /** An event of this segment must be confirmed. */
  await(segment: number): void {
    this.#find(segment).unresolved += 1;
  }

  /** Something that kept this segment is done. */
  resolve(segment: number): void {
    const progress = this.#find(segment);
    progress.unresolved -= 1;
    this.#check(segment, progress);
  }

  /** Nothing more will come in this segment. */
  end(segment: number): void {
    const progress = this.#find(segment);
    progress.hasEnded = true;
    this.#check(segment, progress);
  }

  /** Segments that became finished since the last time this was asked. */
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
