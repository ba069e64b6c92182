import { randomUUID } from "node:crypto";

/** Where a call stands in the trace of whoever made it. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const FORM_LENGTH = 55;
const SAMPLED = 1;

/** Reads a `traceparent` header as the W3C describes it; null for what is none. */
export function readTraceparent(text: string | null): TraceParent | null {
  if (text === null) return null;
  const [, traceId, spanId, flags, rest] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Only versions to come may have more to say.
  if (text.startsWith("00") && (rest !== "" || text.length !== FORM_LENGTH)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The header by which an upstream joins the trace. */
export function writeTraceparent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Made of random identifiers, which the runtime makes many of at once. */
export function newTraceId(): string {
  return randomUUID().replaceAll("-", "");
}

export function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(19, 23) + uuid.slice(24);
}
