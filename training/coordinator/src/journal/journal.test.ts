import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeFolder } from "../test-fleet.fixture.ts";
import { JOURNAL_FILE, Journal, readJournal } from "./journal.ts";
import type { JournalFact } from "./journal-entry.ts";
import { formatLine, parseLines } from "./journal-lines.ts";

const now = () => new Date(0);
const paused = (round: number, reason = "no quorum"): JournalFact => ({ type: "run.paused", round, reason });

async function write(dir: string, facts: readonly JournalFact[]): Promise<void> {
  const { journal } = await Journal.open(dir, { now });
  await Promise.all(facts.map((fact) => journal.append(fact)));
  await journal.close();
}

test("reads appended entries in order, including entries that shared a sync", async () => {
  const dir = await makeFolder();
  await write(dir, [paused(1), paused(2), paused(3, 'text with "quotes"\nand,"crc":"00000000"} in it')]);
  await write(dir, [paused(4)]);
  expect((await readJournal(dir)).map((entry) => "round" in entry && entry.round)).toEqual([1, 2, 3, 4]);
});

test("skips a last line torn at any byte, and the next entry replaces it", async () => {
  const dir = await makeFolder();
  await write(dir, [paused(1), paused(2)]);
  const path = join(dir, JOURNAL_FILE);
  const whole = await readFile(path);
  const firstLine = whole.indexOf("\n") + 1;
  for (let length = firstLine; length < whole.length; length += 7) {
    await writeFile(path, whole.subarray(0, length));
    expect(await readJournal(dir)).toHaveLength(1);
  }
  await truncate(path, whole.length - 5);
  await appendFile(path, "\0\0\0");
  await write(dir, [paused(9)]);
  expect((await readJournal(dir)).map((entry) => "round" in entry && entry.round)).toEqual([1, 9]);
});

test("rejects a damaged line that isn't the last line, and reports its line number", async () => {
  const dir = await makeFolder();
  await write(dir, [paused(1), paused(2), paused(3)]);
  const path = join(dir, JOURNAL_FILE);
  await writeFile(path, (await readFile(path, "utf8")).replace('"round":2', '"round":7'));
  await expect(readJournal(dir)).rejects.toThrow(/journal\.jsonl, line 2: .*Restore the file from a copy/);
  await expect(Journal.open(dir, { now })).rejects.toThrow(/line 2/);
});

test("detects a missing line by the next line's sequence number", async () => {
  const dir = await makeFolder();
  await write(dir, [paused(1), paused(2), paused(3), paused(4)]);
  const path = join(dir, JOURNAL_FILE);
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, lines.toSpliced(1, 1).join("\n"));
  await expect(readJournal(dir)).rejects.toThrow(/line 2/);
});

test("one changed byte never decodes as a different entry", () => {
  const lines = [paused(1), paused(2), paused(3)].map((fact, seq) => formatLine(seq, { at: "x", ...fact }));
  const bytes = Buffer.from(lines.join(""));
  const original = JSON.stringify(parseLines(bytes, "j").entries);
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (position, change) => {
      const damaged = Buffer.from(bytes);
      damaged[position] = (damaged[position] as number) ^ change;
      let read: string;
      try {
        read = JSON.stringify(parseLines(damaged, "j").entries);
      } catch {
        return;
      }
      // The entries that can still be read are a prefix of the original entries.
      expect(original.startsWith(read.slice(0, -1))).toBe(true);
    }),
  );
});

test("an entry can contain any text", async () => {
  const dir = await makeFolder();
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\u2028", "a\u2029b", "\r", "\ud800"));
  const reasons = fc.sample(text, 200);
  await write(
    dir,
    reasons.map((reason, index) => paused(index, reason)),
  );
  expect((await readJournal(dir)).map((entry) => "reason" in entry && entry.reason)).toEqual(reasons);
});
