import { endOfString } from "@tollgate/domain/json-text.ts";

export type DeltaKind = "text" | "input_json" | "thinking";

/** A piece of an answer as it stands in its event: a JSON string without its quotes. */
export interface FoundDelta {
  readonly kind: DeltaKind;
  readonly escaped: string;
}

const HEAD =
  /^\{"type":"content_block_delta","index":\d{1,6},"delta":\{"type":"(text|input_json|thinking)_delta","(?:text|partial_json|thinking)":"/;
const TAIL = /^\s*\}\s*\}$/;

/**
 * The piece in an event of the usual spelling, without parsing it; null for any other event, and any other spelling. The
 * provider fills events with spaces in front of their last brace, to hide how long a piece is.
 */
export function findDelta(data: string): FoundDelta | null {
  const head = HEAD.exec(data);
  if (head === null) return null;
  const start = head[0].length;
  const end = endOfString(data, start);
  if (end < 0 || !TAIL.test(data.slice(end + 1))) return null;
  return { kind: head[1] as DeltaKind, escaped: data.slice(start, end) };
}
