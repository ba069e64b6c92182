import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";

// JSON.stringify writes half a surrogate pair as an escape, and PostgreSQL has no text for it, nor for the zero character.
const UNTAKEABLE = /\\u(?:0000|d[89a-f])/;

/** Events as JSON text that PostgreSQL reads. Characters it cannot store are replaced: a client's label is no reason to lose a call. */
export function writeEvents(events: readonly UsageEvent[]): string {
  const text = JSON.stringify(events, writeAmount);
  return UNTAKEABLE.test(text) ? JSON.stringify(events, writeTakeable) : text;
}

function writeAmount(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function writeTakeable(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : writeAmount(_key, value);
}
