import { crc32 } from "node:zlib";
import type { JournalEntry } from "./journal-entry.ts";

// The `s` flag is needed because text may contain line separators that JSON does not escape.
const LINE = /^(\{"seq":(\d+),.*),"crc":"([0-9a-f]{8})"\}$/s;
const LINE_FEED = 0x0a;

/** A journal whose history cannot be trusted. An operator must decide how to repair it. */
class DamagedJournal extends Error {
  constructor(path: string, line: number, problem: string) {
    super(`${path}, line ${line}: ${problem}. Restore the file from a copy, or start a new run.`);
    this.name = "DamagedJournal";
  }
}

/** Formats an entry as a line, with a number that reveals lost lines and a checksum that reveals changed lines. */
export function formatLine(seq: number, entry: JournalEntry): string {
  const body = `{"seq":${seq},${JSON.stringify(entry).slice(1, -1)}`;
  return `${body},"crc":"${checksum(body)}"}\n`;
}

/**
 * Parses a journal and returns its entries and their length in bytes. An invalid last line was torn by a crash before
 * its sync returned, so no later step depends on it and it is dropped. Throws on any other damage.
 */
export function parseLines(bytes: Uint8Array, path: string): { entries: JournalEntry[]; validBytes: number } {
  const entries: JournalEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, at);
    const entry =
      end === -1 ? undefined : parseLine(Buffer.from(bytes.subarray(at, end)).toString("utf8"), entries.length);
    if (entry === undefined) {
      const isLast = end === -1 || end === bytes.length - 1;
      if (!isLast) throw new DamagedJournal(path, entries.length + 1, "the entry is corrupt or out of order");
      break;
    }
    entries.push(entry);
    at = end + 1;
  }
  return { entries, validBytes: at };
}

function parseLine(line: string, seq: number): JournalEntry | undefined {
  const match = LINE.exec(line);
  if (match === null || Number(match[2]) !== seq || checksum(match[1] as string) !== match[3]) return undefined;
  const { seq: _seq, ...entry } = JSON.parse(`${match[1]}}`) as JournalEntry & { seq: number };
  return entry;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
