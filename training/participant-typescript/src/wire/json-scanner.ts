import { getHeapStatistics } from "node:v8";
import type { JsonObject } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { FieldNames } from "./field-names.ts";
import { continueNumber, mayEnd, type NumberState, startNumber } from "./json-number.ts";
import { JsonText } from "./json-text.ts";
import { malformed } from "./malformed.ts";

const MAX_JSON_DEPTH = 64;
const MAX_TOP_LEVEL_FIELDS = 1000;

// Minimum memory cost of parsed values, counted as they arrive: a body of "[],[],[]" takes ten times its size once
// parsed, and a participant that runs out of heap loses its job.
const CONTAINER_COST = 128;
const SCALAR_COST = 24;

/** Field that a parameter string belongs to. */
export type ParameterField = "parameters" | "parameters_list";

type State =
  | "start"
  | "firstKey"
  | "key"
  | "colon"
  | "value"
  | "firstElement"
  | "afterValue"
  | "string"
  | "escape"
  | "unicode"
  | "number"
  | "literal"
  | "end";

const OBJECT = 1;
const ARRAY = 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const LITERALS = new Map([
  [0x74, "true"],
  [0x66, "false"],
  [0x6e, "null"],
]);

/**
 * Scans one JSON object as it arrives, in pieces of any size, and stops at the start of each parameter string, so that
 * the caller can extract its bytes from the stream. Everything else is validated immediately and collected as text, in
 * which the extracted strings are empty.
 */
export class JsonScanner {
  readonly #text = new JsonText();
  readonly #takesParameters: boolean;
  readonly #maxCost = getHeapStatistics().heap_size_limit / 2;
  readonly #nesting = new Uint8Array(MAX_JSON_DEPTH + 1);
  readonly #fields = new Set<string>();
  readonly #names = new FieldNames();
  #state: State = "start";
  #depth = 0;
  #cost = 0;
  /** True if the current string is a field name. */
  #inKey = false;
  /** Position in the text of the current top-level key. */
  #keyStart = 0;
  #field = "";
  #number: NumberState = "zero";
  #literal = "";
  /** Number of bytes that have been read from a literal or \u escape. */
  #matched = 0;
  /** Number of `parameters_list` strings that have been scanned. */
  #entries = 0;
  #stoppedIn: ParameterField | undefined;

  constructor(options: { takesParameters: boolean }) {
    this.#takesParameters = options.takesParameters;
  }

  /** Field whose string starts where `scan` stopped. The next scan starts at the closing quote. */
  get stoppedIn(): ParameterField | undefined {
    return this.#stoppedIn;
  }

  /** Scans from `from` and returns where it stopped. `offset` is the position of the piece in the body. */
  scan(piece: Uint8Array, from: number, offset: number): number {
    this.#stoppedIn = undefined;
    let kept = from;
    let at = from;
    while (at < piece.length && this.#stoppedIn === undefined) {
      if (this.#state === "string") {
        at = this.#skipPlainCharacters(piece, at);
        if (at === piece.length) break;
      }
      const byte = piece[at] as number;
      if (this.#state === "number") {
        // A number ends at the first byte that is not part of it. That byte is then handled separately.
        if (this.#continueNumber(byte)) {
          at += 1;
          continue;
        }
        if (!mayEnd(this.#number)) throw this.#invalid("a number is incomplete", offset + at);
        this.#state = "afterValue";
      }
      const opensKey = byte === QUOTE && this.#depth === 1 && (this.#state === "key" || this.#state === "firstKey");
      const closesKey = byte === QUOTE && this.#depth === 1 && this.#state === "string" && this.#inKey;
      if (opensKey) {
        this.#text.append(piece.subarray(kept, at));
        kept = at;
        this.#keyStart = this.#text.length;
      }
      this.#step(byte, offset + at);
      at += 1;
      if (closesKey) {
        this.#text.append(piece.subarray(kept, at));
        kept = at;
        this.#nameField(offset + at);
      }
    }
    this.#text.append(piece.subarray(kept, at));
    return at;
  }

  /** Returns the object without the extracted strings. */
  finish(offset: number): JsonObject {
    if (this.#state === "start") throw this.#invalid("it is empty", offset);
    if (this.#state !== "end") throw this.#invalid("it ends prematurely", offset);
    if (!this.#text.isUtf8) throw this.#invalid("it is not UTF-8");
    return this.#text.parse() as JsonObject;
  }

  #step(byte: number, position: number): void {
    if (this.#inKey) this.#names.addByte(byte);
    switch (this.#state) {
      case "string":
        return this.#stepString(byte, position);
      case "escape":
        return this.#stepEscape(byte, position);
      case "unicode":
        if (!isHexDigit(byte)) throw this.#invalid("\\u needs four hexadecimal digits", position);
        this.#matched += 1;
        if (this.#matched === 4) this.#state = "string";
        return;
      case "literal":
        if (byte !== this.#literal.charCodeAt(this.#matched)) throw this.#unexpected(byte, position);
        this.#matched += 1;
        if (this.#matched === this.#literal.length) this.#state = "afterValue";
        return;
      default:
        if (!isWhitespace(byte)) this.#stepStructure(byte, position);
    }
  }

  #stepStructure(byte: number, position: number): void {
    switch (this.#state) {
      case "start":
        if (byte !== OPEN_OBJECT) throw this.#noObject(byte, position);
        return this.#open(OBJECT, position);
      case "firstKey":
        if (byte === CLOSE_OBJECT) return this.#close();
        return this.#openKey(byte, position);
      case "key":
        return this.#openKey(byte, position);
      case "colon":
        if (byte !== COLON) throw this.#unexpected(byte, position);
        this.#state = "value";
        return;
      case "firstElement":
        if (byte === CLOSE_ARRAY) return this.#close();
        return this.#startValue(byte, position);
      case "value":
        return this.#startValue(byte, position);
      case "afterValue":
        return this.#separate(byte, position);
      default:
        throw this.#invalid("it continues after the object", position);
    }
  }

  #openKey(byte: number, position: number): void {
    if (byte !== QUOTE) throw this.#unexpected(byte, position);
    this.#inKey = true;
    this.#names.begin();
    this.#state = "string";
  }

  #startValue(byte: number, position: number): void {
    if (this.#takesParameters) this.#checkParameters(byte, position);
    if (byte === OPEN_OBJECT) return this.#open(OBJECT, position);
    if (byte === OPEN_ARRAY) return this.#open(ARRAY, position);
    this.#count(SCALAR_COST);
    if (byte === QUOTE) {
      this.#inKey = false;
      this.#state = "string";
      return;
    }
    const number = startNumber(byte);
    if (number !== undefined) {
      this.#number = number;
      this.#state = "number";
      return;
    }
    const literal = LITERALS.get(byte);
    if (literal === undefined) throw this.#unexpected(byte, position);
    this.#literal = literal;
    this.#matched = 1;
    this.#state = "literal";
  }

  /**
   * Checks that `parameters` is a string or null, and that `parameters_list` is null or an array of strings. The scan
   * stops after the opening quote of each string.
   */
  #checkParameters(byte: number, position: number): void {
    const isNull = byte === 0x6e;
    if (this.#field === "parameters" && this.#depth === 1) {
      if (byte !== QUOTE && !isNull) throw malformed("parameters must be a base64 string or null", { position });
      if (byte === QUOTE) this.#stoppedIn = "parameters";
    }
    if (this.#field !== "parameters_list") return;
    if (this.#depth === 1 && byte !== OPEN_ARRAY && !isNull) {
      throw malformed("parameters_list must be an array of base64 strings", { position });
    }
    if (this.#depth === 2) {
      if (byte !== QUOTE) throw malformed(`parameters_list[${this.#entries}] must be a base64 string`, { position });
      this.#entries += 1;
      this.#stoppedIn = "parameters_list";
    }
  }

  #separate(byte: number, position: number): void {
    const inObject = this.#nesting[this.#depth] === OBJECT;
    if (byte === COMMA) {
      this.#state = inObject ? "key" : "value";
      return;
    }
    if (byte !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) throw this.#unexpected(byte, position);
    this.#close();
  }

  #open(kind: number, position: number): void {
    if (this.#depth === MAX_JSON_DEPTH) {
      throw malformed(`the body is nested deeper than ${MAX_JSON_DEPTH} levels`, { position });
    }
    this.#count(CONTAINER_COST);
    this.#depth += 1;
    this.#nesting[this.#depth] = kind;
    this.#state = kind === OBJECT ? "firstKey" : "firstElement";
  }

  #close(): void {
    this.#depth -= 1;
    this.#state = this.#depth === 0 ? "end" : "afterValue";
  }

  #stepString(byte: number, position: number): void {
    if (byte === BACKSLASH) {
      this.#state = "escape";
      return;
    }
    if (byte !== QUOTE) throw this.#invalid("a string holds a control character", position);
    this.#state = this.#inKey ? "colon" : "afterValue";
    if (this.#inKey) this.#names.end();
    this.#inKey = false;
  }

  #stepEscape(byte: number, position: number): void {
    if (byte === 0x75) {
      this.#matched = 0;
      this.#state = "unicode";
      return;
    }
    if (!ESCAPABLE.has(byte)) throw this.#invalid("a string holds an unknown escape", position);
    this.#state = "string";
  }

  #skipPlainCharacters(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length) {
      const byte = piece[at] as number;
      if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
      at += 1;
    }
    if (this.#inKey) this.#names.add(piece.subarray(from, at));
    return at;
  }

  #continueNumber(byte: number): boolean {
    const next = continueNumber(this.#number, byte);
    if (next === undefined) return false;
    this.#number = next;
    return true;
  }

  #nameField(position: number): void {
    this.#field = this.#text.literalSince(this.#keyStart);
    if (this.#fields.has(this.#field)) {
      throw malformed(`the field "${this.#field.slice(0, 64)}" appears twice`, { position });
    }
    if (this.#fields.size === MAX_TOP_LEVEL_FIELDS) {
      throw malformed(`the body has more than ${MAX_TOP_LEVEL_FIELDS} fields`, { position });
    }
    this.#fields.add(this.#field);
  }

  #unexpected(byte: number, position: number): ParticipantFailure {
    const shown = byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `0x${byte.toString(16)}`;
    return this.#invalid(`unexpected ${shown}`, position);
  }

  #noObject(byte: number, position: number): ParticipantFailure {
    const startsOther = byte === QUOTE || byte === OPEN_ARRAY || LITERALS.has(byte) || startNumber(byte) !== undefined;
    if (!startsOther || !this.#takesParameters) return this.#unexpected(byte, position);
    return malformed("the body must be a JSON object", { position });
  }

  #invalid(problem: string, position?: number): ParticipantFailure {
    const message = this.#takesParameters ? "the body is not valid JSON" : "the frames header is not a JSON object";
    return malformed(message, { problem, position });
  }

  #count(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#maxCost) {
      throw new ParticipantFailure("PAYLOAD_TOO_LARGE", "the body holds more values than fit in memory", {
        details: { limitBytes: Math.floor(this.#maxCost) },
      });
    }
  }
}

const ESCAPABLE: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));

function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
