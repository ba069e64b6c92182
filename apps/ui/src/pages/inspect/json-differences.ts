/** One line of a formatted value, and whether the other value lacks the line. */
export interface MarkedLine {
  readonly text: string;
  readonly isDifferent: boolean;
}

/** Formats two values line by line and marks lines that only one side has. Field order is preserved. */
export function markDifferences(
  left: unknown,
  right: unknown,
): { readonly left: readonly MarkedLine[]; readonly right: readonly MarkedLine[] } {
  const [one, other] = [linesOf(left), linesOf(right)];
  const [inLeft, inRight] = [new Set(one.map(({ key }) => key)), new Set(other.map(({ key }) => key))];
  return {
    left: one.map(({ text, key }) => ({ text, isDifferent: !inRight.has(key) })),
    right: other.map(({ text, key }) => ({ text, isDifferent: !inLeft.has(key) })),
  };
}

/** Returns the top-level fields of a request that are not sent to the provider. */
export function findDropped(request: unknown, sent: unknown): readonly string[] {
  if (!isObject(request) || !isObject(sent)) return [];
  const sentNames = new Set(namesOf(sent));
  return Object.keys(request).filter((name) => !sentNames.has(name));
}

interface Line {
  readonly text: string;
  /** Path and value of the line, compared instead of its text. */
  readonly key: string;
}

function linesOf(value: unknown): readonly Line[] {
  const lines: Line[] = [];
  write(value, "", "", 0, "", lines);
  return lines;
}

function write(value: unknown, path: string, name: string, depth: number, comma: string, lines: Line[]): void {
  const pad = "  ".repeat(depth);
  const label = name === "" ? "" : `${JSON.stringify(name)}: `;
  const entries = Array.isArray(value)
    ? value.map((each, index) => [String(index), each] as const)
    : isObject(value)
      ? Object.entries(value)
      : null;
  if (entries === null || entries.length === 0) {
    const text = entries === null ? (JSON.stringify(value) ?? "null") : Array.isArray(value) ? "[]" : "{}";
    lines.push({ text: `${pad}${label}${text}${comma}`, key: `${path}=${text}` });
    return;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  lines.push({ text: `${pad}${label}${open}`, key: `${path}${open}` });
  for (const [index, [key, each]] of entries.entries()) {
    const isLast = index === entries.length - 1;
    write(each, `${path}/${key}`, Array.isArray(value) ? "" : key, depth + 1, isLast ? "" : ",", lines);
  }
  lines.push({ text: `${pad}${close}${comma}`, key: `${path}${open}` });
}

/** Returns every field name at any depth, because a moved field isn't dropped. */
function namesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...namesOf(each)]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
