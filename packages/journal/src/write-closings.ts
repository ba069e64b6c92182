import { open } from "node:fs/promises";
import type { CloseRecord } from "./decode-record.ts";
import { encodeClose, recordSpace } from "./encode-record.ts";
import { finalizeGroup, GROUP_HEADER_BYTES } from "./group.ts";
import { listSegments, segmentPath, syncDirectory } from "./journal-directory.ts";
import { encodeIdentity, encodeTarget } from "./record-blocks.ts";
import { MAX_RECORD_BYTES } from "./record-layout.ts";
import { encodeHeader, type SegmentHeader } from "./segment-header.ts";

const GROUP_BYTES = 256 * 1_024;

/** Durably adds a segment with these closing records to a journal that has no writer. */
export async function writeClosings(
  directory: string,
  header: SegmentHeader,
  closings: readonly CloseRecord[],
): Promise<void> {
  if (closings.length === 0) return;
  const last = (await listSegments(directory)).at(-1)?.number ?? 0;
  const handle = await open(segmentPath(directory, last + 1), "wx");
  try {
    await handle.write(encodeHeader(header));
    for (const group of formGroups(closings, header.salt)) await handle.write(group);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(directory);
}

function* formGroups(closings: readonly CloseRecord[], salt: number): Generator<Buffer> {
  const space = recordSpace(Buffer.alloc(GROUP_BYTES + MAX_RECORD_BYTES));
  let end = GROUP_HEADER_BYTES;
  const seal = (): Buffer => {
    finalizeGroup(space.bytes, space.view, end - GROUP_HEADER_BYTES, salt);
    return space.bytes.subarray(0, end);
  };
  for (const { call, facts } of closings) {
    const journaled = { ...call, identity: encodeIdentity(call.identity), target: encodeTarget(call.target) };
    end = encodeClose(space, end, journaled, facts);
    if (end < GROUP_BYTES) continue;
    yield seal();
    end = GROUP_HEADER_BYTES;
  }
  if (end > GROUP_HEADER_BYTES) yield seal();
}
