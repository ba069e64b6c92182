import type { Detector, Span } from "./detector.ts";

/**
 * Returns all findings at or after a position, in order. Merges overlapping findings, so that masks cover them
 * completely. Each search takes linear time, but there can be many searches, so the function returns null if the time
 * limit is exceeded.
 */
export function findSpans(
  finders: readonly Detector[],
  text: string,
  position: number,
  isTimeUp: () => boolean = () => false,
): readonly Span[] | null {
  const spans: Span[] = [];
  for (const detector of finders) {
    for (let from = position; ; ) {
      const span = detector.findFrom(text, from);
      if (span === null) break;
      spans.push(span);
      if (isTimeUp()) return null;
      from = span.end;
    }
  }
  return spans.length < 2 ? spans : join(spans);
}

/** Returns the text between two positions, with each finding replaced by its name. */
export function maskSpans(text: string, spans: readonly Span[], from = 0, to = text.length): string {
  let masked = "";
  let position = from;
  for (const { start, end, name } of spans) {
    if (start >= to) break;
    masked += `${text.slice(position, start)}[${name.toUpperCase()}]`;
    position = end;
  }
  return position < to ? masked + text.slice(position, to) : masked;
}

function join(spans: Span[]): readonly Span[] {
  spans.sort((left, right) => left.start - right.start || right.end - left.end);
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) joined.push(span);
    else if (span.end > last.end) joined[joined.length - 1] = { ...last, end: span.end };
  }
  return joined;
}
