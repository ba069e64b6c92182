import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JournalEntry, JournalFact } from "./journal-entry.ts";
import { formatLine, parseLines } from "./journal-lines.ts";

export const JOURNAL_FILE = "journal.jsonl";

/** Called before and after each durable step. Crash tests exit the process here. */
export type JournalWatcher = (moment: "before" | "after", entry: JournalEntry) => void;

interface JournalOptions {
  readonly now: () => Date;
  readonly watch?: JournalWatcher;
}

interface Waiting {
  readonly entry: JournalEntry;
  readonly resolve: (entry: JournalEntry) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns the journal entries in a run folder; empty if there is no journal. */
export async function readJournal(dir: string): Promise<JournalEntry[]> {
  return (await readFromDisk(join(dir, JOURNAL_FILE))).entries;
}

/**
 * The run's journal: one line per step, written and synced before `append` resolves. Entries that arrive during a sync
 * share the next sync.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #options: JournalOptions;
  #nextSeq: number;
  #position: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #broken: unknown;

  private constructor(file: FileHandle, position: number, nextSeq: number, options: JournalOptions) {
    this.#file = file;
    this.#position = position;
    this.#nextSeq = nextSeq;
    this.#options = options;
  }

  /** Opens or creates the journal, truncates a torn last line, and returns the entries before it. */
  static async open(dir: string, options: JournalOptions): Promise<{ journal: Journal; entries: JournalEntry[] }> {
    const path = join(dir, JOURNAL_FILE);
    const { entries, validBytes } = await readFromDisk(path);
    const file = await open(path, entries.length === 0 ? "w" : "r+", 0o600);
    await file.truncate(validBytes);
    return { journal: new Journal(file, validBytes, entries.length, options), entries };
  }

  append(fact: JournalFact): Promise<JournalEntry> {
    const { promise, resolve, reject } = Promise.withResolvers<JournalEntry>();
    this.#waiting.push({ entry: { at: this.#options.now().toISOString(), ...fact }, resolve, reject });
    this.#writing ??= this.#writeAll();
    return promise;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        // After a failed write, the disk state is unknown, so no later entry may count as durable.
        if (this.#broken !== undefined) throw this.#broken;
        await this.#write(batch);
        for (const { entry, resolve } of batch) resolve(entry);
      } catch (error) {
        this.#broken = error;
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    for (const { entry } of batch) this.#options.watch?.("before", entry);
    const lines = Buffer.from(batch.map(({ entry }, index) => formatLine(this.#nextSeq + index, entry)).join(""));
    for (let written = 0; written < lines.length; ) {
      const { bytesWritten } = await this.#file.write(lines, written, lines.length - written, this.#position + written);
      written += bytesWritten;
    }
    await this.#file.datasync();
    this.#position += lines.length;
    this.#nextSeq += batch.length;
    for (const { entry } of batch) this.#options.watch?.("after", entry);
  }
}

async function readFromDisk(path: string): Promise<{ entries: JournalEntry[]; validBytes: number }> {
  try {
    return parseLines(await readFile(path), path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { entries: [], validBytes: 0 };
    throw error;
  }
}
