import type { CallContent as SealedContent } from "@tollgate/db/usage/write-calls.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import { type CallContent, type ContentLog, MAX_CONTENT_BYTES } from "../accounting/accounting.ts";

/** Write interval, and maximum number of pending rows. */
const WRITE_EVERY_MS = 1_000;
const MAX_KEPT = 1_000;

/**
 * Collects rows that don't affect billing and writes them in batches, at most a second later. A batch that can't be
 * written is tried once more, because the database may have been busy or restarted. Drops it after that, and drops rows
 * that exceed the limit, so that no call ever waits for a write. `write` must ignore rows that are already stored.
 */
export class BatchedWriter<Row> {
  readonly #write: (rows: readonly Row[]) => Promise<void>;
  readonly #onLost: (rows: readonly Row[], error: unknown) => void;
  readonly #mostKept: number;
  #kept: Row[] = [];
  /** Number of rows whose write is in progress. */
  #underWay = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    write: (rows: readonly Row[]) => Promise<void>,
    onLost: (rows: readonly Row[], error: unknown) => void,
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
    this.#writeLater();
  }

  /** Writes all pending rows. Rows that are added during the write are written after it. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#underWay > 0) return this.#writing.then(() => this.flush());
    const rows = this.#kept;
    if (rows.length === 0) return this.#writing;
    this.#kept = [];
    this.#underWay = rows.length;
    this.#writing = this.#writeOrDrop(rows);
    return this.#writing;
  }

  /** Removes and returns the rows that no write has begun with. */
  clear(): readonly Row[] {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = this.#kept;
    this.#kept = [];
    return rows;
  }

  /** Starts no write next to another one, so that a slow database can't collect more rows than the limit here. */
  #writeLater(): void {
    if (this.#underWay > 0) return;
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async #writeOrDrop(rows: readonly Row[]): Promise<void> {
    try {
      await this.#write(rows).catch(async () => {
        await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS));
        await this.#write(rows);
      });
    } catch (error) {
      this.#onLost(rows, error);
    } finally {
      this.#underWay = 0;
    }
    if (this.#kept.length > 0) this.#writeLater();
  }
}

/** Encryption purpose of call content, so that a ciphertext can't be used for another purpose. */
const PURPOSE = "call content";
/** Maximum number of calls whose content is pending. The content of a call can be large. */
const MAX_CONTENTS = 200;

/** Stores the content of calls. The content is encrypted before it leaves this process and is written every second. */
export class SealedContents implements ContentLog {
  readonly #writer: BatchedWriter<SealedContent>;
  readonly #secrets: SecretBox;

  constructor(
    secrets: SecretBox,
    write: (contents: readonly SealedContent[]) => Promise<void>,
    onLost: (rows: number, error: unknown) => void,
  ) {
    this.#secrets = secrets;
    this.#writer = new BatchedWriter(write, (rows, error) => onLost(rows.length, error), MAX_CONTENTS);
  }

  /** Number of calls whose content has not been written yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  keep({ id, organizationId, request, answer }: CallContent): void {
    // Encryption is expensive, so it is skipped if the content would be dropped.
    if (this.#writer.isFull) return;
    this.#writer.add({
      id,
      organizationId,
      request: this.#seal(request),
      answer: this.#seal(answer),
      isCut: request.length > MAX_CONTENT_BYTES || answer.length > MAX_CONTENT_BYTES,
    });
  }

  /** Writes all pending content. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #seal(bytes: string): string {
    return this.#secrets.seal(Buffer.from(bytes.slice(0, MAX_CONTENT_BYTES), "latin1").toString("utf8"), PURPOSE);
  }
}
