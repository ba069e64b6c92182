import { randomUUID } from "node:crypto";

/** Position of a call in its caller's trace. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const FORM_LENGTH = 55;
const SAMPLED = 1;

/** Parses a W3C `traceparent` header. Returns null if the header is invalid. */
export function readTraceparent(text: string | null): TraceParent | null {
  if (text === null) return null;
  const [, traceId, spanId, flags, rest] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Only versions after 00 can have additional fields.
  if (text.startsWith("00") && (rest !== "" || text.length !== FORM_LENGTH)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Returns the header that lets an upstream join the trace. */
export function writeTraceparent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Creates a trace ID from a UUID, which is fast because the runtime generates UUIDs in bulk. */
export function newTraceId(): string {
  return randomUUID().replaceAll("-", "");
}

export function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(19, 23) + uuid.slice(24);
}
