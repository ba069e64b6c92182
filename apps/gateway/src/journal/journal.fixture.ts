import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listSegments, readSegment } from "@tollgate/journal/journal-directory.ts";
import { type Damage, type ScannedRecord, scanSegment } from "@tollgate/journal/scan-segment.ts";
import { test as base } from "vitest";
import { Journal, type JournalOptions, type JournalState } from "./journal.ts";
import type { JournalWaiter } from "./ring.ts";

interface TestJournals {
  /** Opens a journal with small segments. The journal is closed when the test ends. */
  open(options?: Partial<JournalOptions>): Promise<Journal>;
  readonly states: readonly JournalState[];
}

/** Mounts a source under a name in the test's directory, with mount(8) options, until the test ends. */
type Mount = (source: string, name: string, options: readonly string[]) => string;

/** Provides a directory and journals in it. The directory is removed after the test. */
export const test = base.extend<{ directory: string; mount: Mount; journals: TestJournals }>({
  // biome-ignore lint/correctness/noEmptyPattern: fixtures require an object pattern.
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), "journal-"));
    await use(directory);
    await rm(directory, { recursive: true });
  },
  mount: async ({ directory }, use) => {
    const mounted: string[] = [];
    await use((source, name, options) => {
      const target = join(directory, name);
      mkdirSync(target);
      execFileSync("mount", [...options, source, target]);
      mounted.push(target);
      return target;
    });
    // Unmounts lazily, because a process that was just killed may still have files open there.
    for (const target of mounted) execFileSync("umount", ["-l", target]);
  },
  // Journals are closed before their file system is unmounted.
  journals: async ({ directory, mount: _ }, use) => {
    const opened: Journal[] = [];
    const states: JournalState[] = [];
    await use({
      states,
      open: async (options = {}) => {
        const journal = await Journal.open({
          directory,
          nodeId: "node_test",
          epoch: 1,
          segmentBytes: 256 * 1_024,
          emergencyBytes: 128 * 1_024,
          onStateChange: (state) => states.push(state),
          ...options,
        });
        opened.push(journal);
        return journal;
      },
    });
    for (const journal of opened) await journal.close();
  },
});

/** Resolves when the record is on disk. Rejects if it could not be written. */
export function journaled(append: (waiter: JournalWaiter) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    append({ onJournaled: resolve, onJournalFailed: () => reject(new Error("not journaled")) });
  });
}

/** Returns the contents of all segments in a directory. */
export async function readJournal(directory: string): Promise<{ records: ScannedRecord[]; damage: Damage[] }> {
  const records: ScannedRecord[] = [];
  const damage: Damage[] = [];
  for (const file of await listSegments(directory)) {
    const scan = scanSegment((await readSegment(file)) ?? Buffer.alloc(0));
    records.push(...scan.records);
    damage.push(...scan.damage);
  }
  return { records, damage };
}

/** Returns the IDs of the closing records in a directory. */
export async function closedIds(directory: string): Promise<Set<string>> {
  const { records } = await readJournal(directory);
  return new Set(records.flatMap(({ record }) => (record.kind === "close" ? [record.call.id] : [])));
}
