import { truncate } from "node:fs/promises";
import { listSegments, readSegment, syncSegment } from "./journal-directory.ts";
import { type Recovered, Recovery } from "./recover.ts";
import { type Damage, scanSegment } from "./scan-segment.ts";
import type { SegmentHeader } from "./segment-header.ts";
import { writeClosings } from "./write-closings.ts";

interface FoundDamage extends Damage {
  readonly segment: number;
}

export interface RecoveredDirectory extends Recovered {
  readonly damage: readonly FoundDamage[];
}

/**
 * Thrown if a later release wrote this journal. Without this error, its records would be reported as damaged, and usage
 * would be lost.
 */
class NewerJournal extends Error {
  constructor(path: string, version: number) {
    super(`${path} has format ${version}, written by a later release. Start that release or a newer one.`);
  }
}

/**
 * Closes the calls that a dead process left open in its journal, so that every call has a closing record on disk.
 * `header` belongs to the segment that the closing records are written to.
 */
export async function recoverDirectory(directory: string, header: SegmentHeader): Promise<RecoveredDirectory> {
  const files = await listSegments(directory);
  const first = files.findIndex((file) => !file.isDone);
  const recovery = new Recovery();
  const damage: FoundDamage[] = [];
  for (const file of first < 0 ? [] : files.slice(first)) {
    // A killed process may have written records without syncing them. They are readable now, so make them durable.
    if (!file.isDone) await syncSegment(file);
    const bytes = await readSegment(file);
    if (bytes === null) continue;
    const scan = scanSegment(bytes);
    if (scan.header.kind === "unknown_version") throw new NewerJournal(file.path, scan.header.version);
    recovery.add(scan.records, file.isDone);
    damage.push(...scan.damage.map((part) => ({ ...part, segment: file.number })));
    // Prepared but unused space would count against the cap for as long as the segment is retained.
    if (scan.endOffset < file.byteLength) await truncate(file.path, scan.endOffset);
  }
  const recovered = recovery.finish(header.createdAtMs);
  await writeClosings(directory, header, recovered.closings);
  return { ...recovered, damage };
}
