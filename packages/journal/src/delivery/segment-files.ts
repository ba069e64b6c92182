import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { clearDone, markDone, parseSegmentName, segmentPath } from "../journal-directory.ts";
import type { ListedSegment, SegmentFiles } from "./segment-source.ts";

/** Default read size. The buffer is reused. */
const DEFAULT_BYTES = 256 * 1_024;

/**
 * Opens the segments of a journal directory. Reads are synchronous, because they run on their own thread, where a
 * promise and a thread pool round trip would take several times as long as the read itself.
 */
export function openSegmentFiles(directory: string): SegmentFiles {
  const usual = Buffer.allocUnsafeSlow(DEFAULT_BYTES);
  let open: { readonly segment: number; readonly descriptor: number } | null = null;

  /** Returns the descriptor of a segment under either of its names, or null if the segment no longer exists. */
  function descriptorOf(segment: number): number | null {
    if (open?.segment === segment) return open.descriptor;
    const path = segmentPath(directory, segment);
    const descriptor = tryOpen(path) ?? tryOpen(path.replace(/seg$/, "done"));
    if (descriptor === null) return null;
    if (open !== null) closeSync(open.descriptor);
    open = { segment, descriptor };
    return descriptor;
  }

  return {
    list: async () => listNames(directory),
    read: async (segment, offset, length) => {
      const descriptor = descriptorOf(segment);
      if (descriptor === null) return null;
      const wanted =
        length <= usual.length ? length : Math.max(0, Math.min(length, fstatSync(descriptor).size - offset));
      const buffer = wanted <= usual.length ? usual : Buffer.allocUnsafe(wanted);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, wanted, offset));
    },
    markDone: async (segment) => {
      if (listNames(directory).some(({ number, isDone }) => number === segment && !isDone)) {
        await markDone(directory, segment);
      }
    },
    clearDone: () => clearDone(directory),
  };
}

function listNames(directory: string): ListedSegment[] {
  const listed: ListedSegment[] = [];
  for (const name of readdirSync(directory)) {
    const segment = parseSegmentName(name);
    if (segment !== null) listed.push(segment);
  }
  return listed.sort((left, right) => left.number - right.number);
}

function tryOpen(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
