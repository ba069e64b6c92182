/** How often what was collected is written, and how much is kept until then. */
const WRITE_EVERY_MS = 1_000;
const MAX_KEPT = 1_000;

/**
 * Collects rows that nobody is charged by and writes them together, a second later at the most. When they cannot be
 * written, or too many come at once, they are forgotten: no call ever waits for them.
 */
export class BatchedWriter<Row> {
  readonly #write: (rows: readonly Row[]) => Promise<void>;
  readonly #onLost: (rows: number, error: unknown) => void;
  readonly #mostKept: number;
  #kept: Row[] = [];
  /** Handed over and not answered yet. */
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

  /** Whether the next row would be forgotten. */
  get isFull(): boolean {
    return this.#kept.length >= this.#mostKept;
  }

  /** Rows that are not written yet. */
  get waiting(): number {
    return this.#kept.length + this.#underWay;
  }

  add(row: Row): void {
    if (this.isFull) return;
    this.#kept.push(row);
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** Writes what there is. Rows that come meanwhile are written after it. */
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
