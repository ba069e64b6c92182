/** Write interval, and maximum number of pending rows. */
const WRITE_EVERY_MS = 1_000;
const MAX_KEPT = 1_000;

/**
 * Collects rows that don't affect billing and writes them in batches, at most a second later. Drops rows that can't be
 * written and rows that exceed the limit, so that no call ever waits for a write.
 */
export class BatchedWriter<Row> {
  readonly #write: (rows: readonly Row[]) => Promise<void>;
  readonly #onLost: (rows: number, error: unknown) => void;
  readonly #mostKept: number;
  #kept: Row[] = [];
  /** Number of rows whose write is in progress. */
  #underWay = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    write: (rows: readonly Row[]) => Promise<void>,
    onLost: (rows: number, error: unknown) => void,
    mostKept = MAX_KEPT,
  ) {
    this.#mostKept = mostKept;
    this.#write = write;
    this.#onLost = onLost;
  }

  /** True if the next row would be dropped. */
  get isFull(): boolean {
    return this.#kept.length >= this.#mostKept;
  }

  /** Number of rows that haven't been written yet. */
  get waiting(): number {
    return this.#kept.length + this.#underWay;
  }

  add(row: Row): void {
    if (this.isFull) return;
    this.#kept.push(row);
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** Writes all pending rows. Rows that are added during the write are written after it. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = this.#kept;
    this.#kept = [];
    if (rows.length === 0) return this.#writing;
    this.#underWay += rows.length;
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#write(rows);
      } catch (error) {
        this.#onLost(rows.length, error);
      } finally {
        this.#underWay -= rows.length;
      }
    });
    return this.#writing;
  }
}
