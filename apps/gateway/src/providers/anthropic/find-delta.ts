import { endOfString } from "@tollgate/domain/json-text.ts";

export type DeltaKind = "text" | "input_json" | "thinking";

/** An event's text delta, as the contents of a JSON string. */
interface FoundDelta {
  readonly kind: DeltaKind;
  readonly escaped: string;
}

const HEAD =
  /^\{"type":"content_block_delta","index":\d{1,6},"delta":\{"type":"(text|input_json|thinking)_delta","(?:text|partial_json|thinking)":"/;
const TAIL = /^\s*\}\s*\}$/;

/**
 * Finds the delta in an event with the usual formatting, without parsing the JSON. Returns null for any other event or
 * formatting. To hide the length of the text, the provider pads events with spaces before the last brace.
 */
export function findDelta(data: string): FoundDelta | null {
  const head = HEAD.exec(data);
  if (head === null) return null;
  const start = head[0].length;
  const end = endOfString(data, start);
  if (end < 0 || !TAIL.test(data.slice(end + 1))) return null;
  return { kind: head[1] as DeltaKind, escaped: data.slice(start, end) };
}
