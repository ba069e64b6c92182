import { decodeKey, findRepeated, MAX_DEPTH, MAX_KEYS, MAX_VALUES, type TopLevelMember } from "./json-text.ts";

type JsonBytesScan =
  | {
      readonly kind: "scanned";
      readonly members: readonly TopLevelMember[];
      readonly hasEscapedKey: boolean;
      /** The JSON to parse, one character per byte. It is valid if and only if the bytes are. */
      readonly text: string;
    }
  | { readonly kind: "refused"; readonly reason: string };

interface Member extends TopLevelMember {
  name: string;
  /** Position of the name in the text. */
  readonly nameAt: number;
  readonly nameEnd: number;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const LETTER_U = 117;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const PROTO = asBytes("__proto__");
const CONSTRUCTOR = asBytes("constructor");
const PROTOTYPE = asBytes("prototype");
const CONTENT = asBytes("content");
const TEXT = asBytes("text");

/** 1 for bytes that end a string, begin an escape, or are invalid inside a string. */
const SPECIAL = new Uint8Array(256).fill(1, 0, 32);
SPECIAL[QUOTE] = 1;
SPECIAL[BACKSLASH] = 1;
/** 1 for bytes that may follow a backslash, except for `u`. */
const ESCAPED = tableOf('"\\/bfnrt');
const HEX_DIGITS = tableOf("0123456789abcdefABCDEF");

/** Strings of at least this length are searched and copied by native code. */
const LONG = 64;

/** Texts in bodies of at least this size are read in words of four bytes. */
const LARGE = 512;

/** The text of the current scan. Scans are synchronous, so they share this memory. A longer body gets its own. */
const shared = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * Scans a JSON body before it is parsed, with the rules of `scanJson`, and writes the text to parse. In this text, the
 * members `content` and `text` of everything inside the top-level member `textsIn` are empty strings. They are nearly
 * all of a chat request, and the gateway itself needs none as a string, so that parsing them would only fill the heap.
 * They are checked here, and the text of a body with an invalid string contains that string, so that the parser rejects
 * it.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: separate functions would each scan the bytes again.
export function scanJsonBytes(bytes: Buffer, textsIn: string | null): JsonBytesScan {
  const { length } = bytes;
  const left = length <= shared.length ? shared : Buffer.allocUnsafe(length);
  const words = length < LARGE ? null : new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2);
  let size = 0;
  const members: Member[] = [];
  let hasEscapedKey = false;
  let depth = 0;
  let keys = 0;
  let values = 0;
  let stringStart = 0;
  let stringEnd = 0;
  let stringAt = 0;
  let isMember = false;
  let memberKeyStart = 0;
  let memberValueStart = 0;
  let memberNameAt = 0;
  let memberNameEnd = 0;
  let isInTexts = false;
  let isText = false;

  for (let index = 0; index < length; index += 1) {
    const code = bytes[index] as number;
    left[size] = code;
    size += 1;
    switch (code) {
      case QUOTE: {
        stringStart = index + 1;
        stringAt = size;
        stringEnd = isText ? endOfText(bytes, stringStart, words) : -1;
        isText = false;
        if (stringEnd < 0) {
          stringEnd = endOfString(bytes, stringStart);
          // The parser rejects a string without an end.
          if (stringEnd < 0) return { kind: "scanned", members, hasEscapedKey, text: bytes.toString("latin1") };
          size = copyString(bytes, stringStart, stringEnd, left, size);
        }
        left[size] = QUOTE;
        size += 1;
        index = stringEnd;
        break;
      }
      case COLON: {
        keys += 1;
        if (keys > MAX_KEYS) return { kind: "refused", reason: `The body has more than ${MAX_KEYS} keys.` };
        const hasEscape = hasBackslash(bytes, stringStart, stringEnd);
        const refused = refusedName(bytes, stringStart, stringEnd, hasEscape, depth);
        if (refused !== null) return { kind: "refused", reason: `The key '${refused}' is not allowed.` };
        if (depth === 1) {
          hasEscapedKey ||= hasEscape;
          isMember = true;
          memberKeyStart = stringStart - 1;
          memberValueStart = index + 1;
          memberNameAt = stringAt;
          memberNameEnd = stringAt + stringEnd - stringStart;
          isInTexts = textsIn !== null && isNamed(bytes, stringStart, stringEnd, textsIn);
        } else if (isInTexts) {
          isText = isName(bytes, stringStart, stringEnd, CONTENT) || isName(bytes, stringStart, stringEnd, TEXT);
        }
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isText = false;
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH)
          return { kind: "refused", reason: `The body is nested deeper than ${MAX_DEPTH} levels.` };
        break;
      case COMMA:
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        isText = false;
        if (code === COMMA) {
          values += 1;
          if (values > MAX_VALUES) return { kind: "refused", reason: `The body has more than ${MAX_VALUES} values.` };
        }
        if (depth === 1 && isMember) {
          isMember = false;
          members.push({
            name: "",
            keyStart: memberKeyStart,
            valueStart: memberValueStart,
            valueEnd: index,
            nameAt: memberNameAt,
            nameEnd: memberNameEnd,
          });
        }
        if (code !== COMMA) depth -= 1;
        break;
    }
  }
  const text = left.toString("latin1", 0, size);
  for (const member of members) {
    const rawName = text.slice(member.nameAt, member.nameEnd);
    member.name = hasEscapedKey && rawName.includes("\\") ? decodeKey(rawName) : rawName;
  }
  const repeated = findRepeated(members);
  if (repeated !== null) return { kind: "refused", reason: `The key '${repeated}' appears more than once.` };
  return { kind: "scanned", members, hasEscapedKey, text };
}

/**
 * Returns the positions of the texts in a value of valid JSON: a start and an end for each. A string is one text. The
 * texts of an array are the members `content` and `text` of everything inside its first `maxElements` elements.
 */
export function findTexts(
  bytes: Buffer,
  { valueStart, valueEnd }: Pick<TopLevelMember, "valueStart" | "valueEnd">,
  maxElements: number,
  maxTexts: number,
): readonly number[] {
  const found: number[] = [];
  let depth = 0;
  let elements = 0;
  let stringStart = 0;
  let stringEnd = 0;
  let isText = true;
  for (let index = valueStart; index < valueEnd && found.length < maxTexts * 2; index += 1) {
    switch (bytes[index]) {
      case QUOTE:
        stringStart = index + 1;
        stringEnd = endOfString(bytes, stringStart);
        if (isText) found.push(stringStart, stringEnd);
        isText = false;
        index = stringEnd;
        break;
      case COLON:
        isText = isName(bytes, stringStart, stringEnd, CONTENT) || isName(bytes, stringStart, stringEnd, TEXT);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isText = false;
        depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COMMA:
        isText = false;
        if (depth === 1) elements += 1;
        if (elements === maxElements) return found;
        break;
    }
  }
  return found;
}

/** Returns the position of the closing quote of a string whose first byte is at `start`, or -1. */
function endOfString(bytes: Buffer, start: number): number {
  const short = Math.min(bytes.length, start + LONG);
  let index = start;
  for (; index < short; index += 1) {
    const code = bytes[index];
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index += 1;
  }
  for (let end = bytes.indexOf(QUOTE, index); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (end - 1 - backslashes >= index && bytes[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

/** Like `endOfString`, but also returns -1 if the string is invalid. `words` are the memory that the bytes are in. */
function endOfText(bytes: Buffer, start: number, words: Int32Array | null): number {
  let index = start;
  for (;;) {
    index = skipPlain(bytes, index, words);
    const code = bytes[index];
    if (code === QUOTE) return index;
    if (code !== BACKSLASH) return -1;
    const escaped = bytes[index + 1] as number;
    if (ESCAPED[escaped] === 1) index += 2;
    else if (escaped === LETTER_U && isHex(bytes, index + 2)) index += 6;
    else return -1;
  }
}

/** Returns the position of the next special byte, or of the end. */
function skipPlain(bytes: Buffer, from: number, words: Int32Array | null): number {
  const { length, byteOffset } = bytes;
  let index = from;
  if (words !== null) {
    for (; index < length && ((byteOffset + index) & 3) !== 0; index += 1) {
      if (SPECIAL[bytes[index] as number] === 1) return index;
    }
    const end = (byteOffset + length) >> 2;
    let at = (byteOffset + index + 3) >> 2;
    while (at < end && !hasSpecial(words[at] as number)) at += 1;
    if (index < length) index = (at << 2) - byteOffset;
  }
  while (index < length && SPECIAL[bytes[index] as number] === 0) index += 1;
  return index;
}

/** Reports whether one of the four bytes is special: below 32, a quote, or a backslash. */
function hasSpecial(word: number): boolean {
  const below = (word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101);
  return (below & ~word & 0x80808080) !== 0;
}

function isHex(bytes: Buffer, at: number): boolean {
  for (let index = at; index < at + 4; index += 1) if (HEX_DIGITS[bytes[index] as number] !== 1) return false;
  return true;
}

/** Copies a string without its quotes. Returns the position after it. */
function copyString(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
  if (end - start >= LONG) return at + bytes.copy(target, at, start, end);
  for (let index = start; index < end; index += 1) target[at + index - start] = bytes[index] as number;
  return at + end - start;
}

function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (bytes[index] === BACKSLASH) return true;
  return false;
}

/** Returns the name of a key that reaches prototypes, or null. */
function refusedName(bytes: Buffer, start: number, end: number, hasEscape: boolean, depth: number): string | null {
  if (hasEscape) {
    const name = decodeKey(bytes.toString("latin1", start, end));
    const isRefused = name === "__proto__" || (depth <= 2 && (name === "constructor" || name === "prototype"));
    return isRefused ? name : null;
  }
  if (isName(bytes, start, end, PROTO)) return "__proto__";
  if (depth > 2) return null;
  if (isName(bytes, start, end, CONSTRUCTOR)) return "constructor";
  return isName(bytes, start, end, PROTOTYPE) ? "prototype" : null;
}

function isName(bytes: Buffer, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) if (bytes[start + index] !== name[index]) return false;
  return true;
}

function isNamed(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[start + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

function asBytes(name: string): Uint8Array {
  return Uint8Array.from(name, (letter) => letter.charCodeAt(0));
}

function tableOf(letters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const letter of letters) table[letter.charCodeAt(0)] = 1;
  return table;
}
