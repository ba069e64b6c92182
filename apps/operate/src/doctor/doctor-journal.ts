import { closeSync, existsSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

/** Result of probing a journal directory. */
type JournalProbeResult =
  | { readonly kind: "tried"; readonly freeBytes: number; readonly syncMs: number }
  | { readonly kind: "not writable"; readonly reason: string };

const DEFAULT_DIRECTORY = ".tollgate/journal";
const GIBIBYTE = 1024 ** 3;
/**
 * Minimum space for a delivery backlog and for the segments that are retained in case the database is restored from a
 * backup.
 */
const WANTED_BYTES = GIBIBYTE;
/**
 * Minimum space for a few gateway processes to preallocate their segments. With less space, some processes can't accept
 * calls.
 */
const NEEDED_BYTES = GIBIBYTE / 4;
const SLOW_SYNC_MS = 10;
const SYNCS = 15;
const RECORD = Buffer.alloc(512, 1);

/**
 * Checks the journal disk. Each response waits until its usage is written to this disk, so calls fail if the disk
 * fails.
 */
export async function checkJournal({ env, cwd, dataDir }: DoctorContext): Promise<Finding[]> {
  const directory =
    dataDir === null ? resolve(cwd, env.TOLLGATE_JOURNAL_DIR || DEFAULT_DIRECTORY) : join(dataDir, "journal");
  return [assessJournal(directory, await tryDirectory(nearestExisting(directory)))];
}

export function assessJournal(directory: string, status: JournalProbeResult): Finding {
  if (status.kind === "not writable") {
    const fix = "Make the directory writable, or set TOLLGATE_JOURNAL_DIR to another local directory.";
    return failed("journal", `${directory} is not writable: ${status.reason}`, fix);
  }
  const { freeBytes, syncMs } = status;
  const free =
    freeBytes < GIBIBYTE ? `${Math.floor(freeBytes / 1024 ** 2)} MiB` : `${Math.floor(freeBytes / GIBIBYTE)} GiB`;
  const text = `${directory}, ${free} free, sync ${syncMs.toFixed(1)} ms`;
  const moreSpace =
    "Free up disk space, or set TOLLGATE_JOURNAL_DIR to a directory on a local disk with at least 1 GiB free.";
  if (freeBytes < NEEDED_BYTES) return failed("journal", text, moreSpace);
  if (freeBytes < WANTED_BYTES) return warned("journal", text, moreSpace);
  if (syncMs > SLOW_SYNC_MS)
    return warned("journal", text, "Use a faster local disk. Each response waits for one sync.");
  return passed("journal", text);
}

/** Writes the same way as the journal, one small record and sync at a time, to a file that is then deleted. */
async function tryDirectory(directory: string): Promise<JournalProbeResult> {
  const path = join(directory, `.tollgate-doctor-${process.pid}`);
  try {
    const descriptor = openSync(path, "wx");
    try {
      const syncMs = measureSync(descriptor);
      const { bavail, bsize } = await statfs(directory);
      return { kind: "tried", freeBytes: bavail * bsize, syncMs };
    } finally {
      closeSync(descriptor);
      unlinkSync(path);
    }
  } catch (error) {
    return { kind: "not writable", reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  }
}

/** Returns the median sync time in milliseconds. The file is preallocated, like journal segments. */
function measureSync(descriptor: number): number {
  writeSync(descriptor, Buffer.alloc(SYNCS * RECORD.length), 0, SYNCS * RECORD.length, 0);
  fdatasyncSync(descriptor);
  const times: number[] = [];
  for (let index = 0; index < SYNCS; index += 1) {
    writeSync(descriptor, RECORD, 0, RECORD.length, index * RECORD.length);
    const startedMs = performance.now();
    fdatasyncSync(descriptor);
    times.push(performance.now() - startedMs);
  }
  return times.sort((left, right) => left - right)[Math.floor(SYNCS / 2)] as number;
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
