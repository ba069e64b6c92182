/** A member of the outermost object: the positions of its key and value in the text. */
export interface TopLevelMember {
  readonly name: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

type JsonScan =
  | { readonly kind: "scanned"; readonly members: readonly TopLevelMember[]; readonly hasEscapedKey: boolean }
  | { readonly kind: "refused"; readonly reason: string };

export const MAX_DEPTH = 64;
export const MAX_KEYS = 10_000;
/**
 * Maximum number of values. Values without a key also take time to parse: 50 MB of empty objects would block the
 * process for seconds.
 */
export const MAX_VALUES = 200_000;
/** Number of members up to which comparing pairs is cheaper than filling a set. */
const FEW_MEMBERS = 24;

/**
 * JSON whitespace is the space character and a few characters with lower code points. No other character with a lower
 * code point is valid between tokens.
 */
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * Scans JSON text once before it is parsed. Limits depth and key count, rejects duplicate top-level keys (two parsers
 * could use different values) and keys that reach prototypes, and records the position of each top-level member, so
 * that a field can be changed without rebuilding the body. Strings are skipped with `indexOf`, so the cost depends on
 * their number, not their length. Malformed text is left for the parser to reject.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: separate functions would each scan the text again.
export function scanJson(text: string): JsonScan {
  const members: TopLevelMember[] = [];
  let hasEscapedKey = false;
  let depth = 0;
  let keys = 0;
  let values = 0;
  let stringStart = -1;
  let stringEnd = -1;
  let memberName: string | null = null;
  let memberKeyStart = 0;
  let memberValueStart = 0;

  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        stringStart = index + 1;
        stringEnd = endOfString(text, stringStart);
        if (stringEnd < 0) return { kind: "scanned", members, hasEscapedKey };
        index = stringEnd;
        break;
      case COLON: {
        keys += 1;
        if (keys > MAX_KEYS) return { kind: "refused", reason: `The body has more than ${MAX_KEYS} keys.` };
        const rawName = text.slice(stringStart, stringEnd);
        const hasEscape = rawName.includes("\\");
        const name = hasEscape ? decodeKey(rawName) : rawName;
        if (name === "__proto__" || (depth <= 2 && (name === "constructor" || name === "prototype"))) {
          return { kind: "refused", reason: `The key '${name}' is not allowed.` };
        }
        if (depth === 1) {
          hasEscapedKey ||= hasEscape;
          memberName = name;
          memberKeyStart = stringStart - 1;
          memberValueStart = index + 1;
        }
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH)
          return { kind: "refused", reason: `The body is nested deeper than ${MAX_DEPTH} levels.` };
        break;
      case COMMA:
        values += 1;
        if (values > MAX_VALUES) return { kind: "refused", reason: `The body has more than ${MAX_VALUES} values.` };
        if (depth === 1 && memberName !== null) {
          members.push({ name: memberName, keyStart: memberKeyStart, valueStart: memberValueStart, valueEnd: index });
          memberName = null;
        }
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 1 && memberName !== null) {
          members.push({ name: memberName, keyStart: memberKeyStart, valueStart: memberValueStart, valueEnd: index });
          memberName = null;
        }
        depth -= 1;
        break;
    }
  }
  const repeated = findRepeated(members);
  if (repeated !== null) return { kind: "refused", reason: `The key '${repeated}' appears more than once.` };
  return { kind: "scanned", members, hasEscapedKey };
}

/** Finds the raw text of an early top-level string member, without reading the text after it. */
export function findTopLevelString(text: string, name: string): { start: number; end: number } | null {
  let depth = 0;
  let stringStart = -1;
  let stringEnd = -1;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        stringStart = index + 1;
        stringEnd = endOfString(text, stringStart);
        if (stringEnd < 0) return null;
        index = stringEnd;
        break;
      case COLON:
        if (depth === 1 && stringEnd - stringStart === name.length && text.startsWith(name, stringStart)) {
          let start = index + 1;
          while (text.charCodeAt(start) <= SPACE) start += 1;
          if (text.charCodeAt(start) !== QUOTE) return null;
          const end = endOfString(text, start + 1);
          return end < 0 ? null : { start, end: end + 1 };
        }
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
    }
  }
  return null;
}

/** Returns the position after the object that opens at `start`, or -1 if it doesn't end. */
export function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index + 1);
        if (index < 0) return -1;
        break;
      case OPEN_BRACE:
        depth += 1;
        break;
      case CLOSE_BRACE:
        depth -= 1;
        if (depth === 0) return index + 1;
        break;
    }
  }
  return -1;
}

/** Returns the position of the closing quote of a string whose first character is at `start`, or -1. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** Decodes the escapes of a key. */
export function decodeKey(rawName: string): string {
  try {
    return String(JSON.parse(`"${rawName}"`));
  } catch {
    // Malformed escape: the parser that runs next rejects the whole body.
    return rawName;
  }
}

/** Returns the first name that occurs twice, or null. */
export function findRepeated(members: readonly TopLevelMember[]): string | null {
  if (members.length > FEW_MEMBERS) {
    const names = new Set<string>();
    for (const { name } of members) {
      if (names.has(name)) return name;
      names.add(name);
    }
    return null;
  }
  for (let later = 1; later < members.length; later += 1) {
    const name = (members[later] as TopLevelMember).name;
    for (let earlier = 0; earlier < later; earlier += 1) {
      if ((members[earlier] as TopLevelMember).name === name) return name;
    }
  }
  return null;
}
