import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import { listSegments, readSegment } from "./journal-directory.ts";
import { Recovery } from "./recover.ts";
import { scanSegment } from "./scan-segment.ts";

/** Returns a journal's completed calls that the ledger has not confirmed. */
export async function readPendingEvents(directory: string): Promise<readonly PendingEvent[]> {
  const recovery = new Recovery();
  for (const file of await listSegments(directory)) {
    const bytes = file.isDone ? null : await readSegment(file);
    if (bytes !== null) recovery.add(scanSegment(bytes).records, false);
  }
  return recovery.pending;
}
