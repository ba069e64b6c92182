import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { decodeUsageBatch } from "@tollgate/event-log/usage-batch.ts";
import { readUsageEvents } from "@tollgate/journal/delivery/read-usage-events.ts";
import { NEWEST_RECORD_VERSION } from "@tollgate/journal/record-version.ts";

type ReadMessage =
  | { readonly kind: "events"; readonly events: readonly UsageEvent[] }
  | { readonly kind: "unreadable"; readonly reason: string }
  /** The message is from a later release, whose workers can read it. */
  | { readonly kind: "newer"; readonly reason: string };

/** Reads the events of a message from the log. Returns either all of the events or none. */
export function readMessage(message: Uint8Array): ReadMessage {
  const decoded = decodeUsageBatch(message, NEWEST_RECORD_VERSION);
  if (decoded.kind !== "batch") return decoded;
  const { records, nodeId, count } = decoded.batch;
  try {
    const events = readUsageEvents(records, nodeId);
    if (events.length === count) return { kind: "events", events };
    return { kind: "unreadable", reason: `it declares ${count} events but has ${events.length}` };
  } catch (error) {
    return { kind: "unreadable", reason: `its records cannot be decoded: ${(error as Error).message}` };
  }
}
