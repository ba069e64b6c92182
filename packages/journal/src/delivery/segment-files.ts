import { open } from "node:fs/promises";
import { clearDone, listSegments, markDone, segmentPath } from "../journal-directory.ts";
import type { SegmentFiles } from "./segment-source.ts";

/** The segments of a journal directory on disk. */
export function openSegmentFiles(directory: string): SegmentFiles {
  const pathsOf = (segment: number): readonly string[] => {
    const path = segmentPath(directory, segment);
    return [path, path.replace(/seg$/, "done")];
  };
  return {
    list: () => listSegments(directory),
    read: async (segment, offset, length) => {
      for (const path of pathsOf(segment)) {
        const bytes = await readPart(path, offset, length);
        if (bytes !== null) return bytes;
      }
      return null;
    },
    markDone: async (segment) => {
      const listed = (await listSegments(directory)).find(({ number }) => number === segment);
      if (listed !== undefined && !listed.isDone) await markDone(directory, segment);
    },
    clearDone: () => clearDone(directory),
  };
}

async function readPart(path: string, offset: number, length: number): Promise<Buffer | null> {
  const handle = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    const wanted = Math.max(0, Math.min(length, size - offset));
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
