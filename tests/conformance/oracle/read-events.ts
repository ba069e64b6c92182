/** A stream as assembled by a client. */
export interface ReadStream {
  /** Accumulated frames: text is concatenated, and other fields have their last value. */
  readonly adds: unknown;
  /** Every field that occurred in any frame. */
  readonly fields: readonly string[];
  /** Number of frames with data, not counting `[DONE]`. */
  readonly frames: number;
  readonly isDone: boolean;
}

export function isEventStream(contentType: string): boolean {
  return contentType.startsWith("text/event-stream");
}

/** Reads an event stream to the end. */
export function readEvents(text: string): ReadStream {
  const data = text
    .split(/\r?\n\r?\n/)
    .map((frame) => frame.split(/\r?\n/).filter((line) => line.startsWith("data:")))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.slice(5).trimStart()).join("\n"));
  const values = data.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one) as unknown);
  const fields = new Set<string>();
  for (const value of values) collectFields(value, "", fields);
  return {
    adds: values.reduce((sum, next) => addUp(sum, next), undefined),
    fields: [...fields].toSorted(),
    frames: values.length,
    isDone: data.at(-1) === "[DONE]",
  };
}

/** Fields that are streamed in pieces. Names and IDs are always sent whole. */
const inPieces = new Set([
  "content",
  "arguments",
  "text",
  "reasoning_content",
  "thinking",
  "refusal",
  "delta",
  "audio",
]);

function addUp(sum: unknown, next: unknown, name: string | number = ""): unknown {
  if (next === null || next === undefined) return sum ?? next;
  if (typeof next === "string" && typeof sum === "string" && inPieces.has(`${name}`)) return sum + next;
  if (Array.isArray(next)) return addLists(Array.isArray(sum) ? sum : [], next);
  if (typeof next !== "object") return next;
  const added: Record<string, unknown> = { ...(isRecord(sum) ? sum : {}) };
  for (const [key, value] of Object.entries(next)) added[key] = addUp(added[key], value, key);
  return added;
}

/** Merges lists. A member with an index is merged into the entry with that index. */
function addLists(sum: readonly unknown[], next: readonly unknown[]): unknown {
  const added = [...sum];
  for (const [position, item] of next.entries()) {
    const index = isRecord(item) && typeof item.index === "number" ? item.index : position;
    added[index] = addUp(added[index], item);
  }
  return added;
}

function collectFields(value: unknown, path: string, into: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectFields(item, `${path}/*`, into);
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) collectFields(item, `${path}/${name}`, into);
  } else {
    into.add(path);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
