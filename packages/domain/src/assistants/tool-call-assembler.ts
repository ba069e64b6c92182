import type { Json, JsonFields } from "./records.ts";

/** Part of a tool call: an entry of `tool_calls` in a stream chunk. */
interface CallFragment {
  /** Index that the upstream sent; null if it sent none. */
  readonly index: number | null;
  /** ID that the upstream sent; empty if it sent none. */
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly extra?: Json;
}

export interface AssembledCall {
  readonly name: string;
  readonly arguments: string;
  readonly extra?: Json;
}

/** The content that a fragment adds to the call at a position. */
interface CallDelta {
  readonly position: number;
  /** Present once per call, with its first delta. */
  readonly name?: string;
  readonly arguments: string;
}

interface OpenCall {
  readonly position: number;
  id: string;
  index: number;
  name: string;
  readonly given: Arguments;
  extra?: Json;
}

// No valid response has more calls. Extra calls from a faulty upstream are dropped.
const MAX_CALLS = 128;

/**
 * Assembles the tool calls of a response. Upstreams number their calls from any index, repeat an index for calls with
 * different IDs, and send the fragments of calls in any order, so calls are identified by both. Positions are in the
 * order in which calls start, without gaps.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  /** The call that a fragment without an ID continues, by index. */
  readonly #lastByIndex = new Map<number, OpenCall>();

  get calls(): readonly AssembledCall[] {
    return this.#calls.map(({ name, given, extra }) => ({
      name,
      arguments: given.text,
      ...(extra !== undefined && { extra }),
    }));
  }

  /** Adds a complete call. */
  addWhole(call: CallFragment): CallDelta | null {
    return this.#begin(call, this.#calls.length);
  }

  /** Adds a fragment. If the upstream numbers nothing, the place in the chunk is its index. */
  add(fragment: CallFragment, place: number): CallDelta | null {
    const index = fragment.index ?? place;
    const known = this.#find(fragment, index);
    return known === null ? this.#begin(fragment, index) : this.#continue(known, fragment, index);
  }

  /** Returns the call that a fragment continues, or null if it starts one. */
  #find(fragment: CallFragment, index: number): OpenCall | null {
    const last = this.#lastByIndex.get(index);
    if (fragment.id === "") return last === undefined || isNextCall(last, fragment) ? null : last;
    if (last !== undefined && (last.id === fragment.id || isUnidentified(last, fragment))) return last;
    const same = this.#calls.find(({ id }) => id === fragment.id);
    // A name under another index starts a call, because some upstreams use one ID for all calls of a response.
    return same === undefined || (fragment.name !== "" && same.index !== index) ? null : same;
  }

  #begin(fragment: CallFragment, index: number): CallDelta | null {
    if (this.#calls.length >= MAX_CALLS) return null;
    const call = { position: this.#calls.length, id: fragment.id, index, name: "", given: new Arguments() };
    this.#calls.push(call);
    return this.#continue(call, fragment, index);
  }

  /** A call is reported once its name is known, with the arguments that arrived before its name. */
  #continue(call: OpenCall, fragment: CallFragment, index: number): CallDelta | null {
    this.#lastByIndex.set(index, call);
    if (call.id === "") call.id = fragment.id;
    if (fragment.extra !== undefined) call.extra = fragment.extra;
    const hadName = call.name !== "";
    if (!hadName) call.name = fragment.name;
    call.given.add(fragment.arguments);
    if (hadName) return { position: call.position, arguments: fragment.arguments };
    return call.name === "" ? null : { position: call.position, name: call.name, arguments: call.given.text };
  }
}

export function readFragment(piece: JsonFields, called: JsonFields): CallFragment {
  return {
    index: typeof piece.index === "number" ? piece.index : null,
    id: textOf(piece.id),
    name: textOf(called.name),
    arguments: textOf(called.arguments),
    ...(piece.extra_content !== undefined && { extra: piece.extra_content }),
  };
}

/**
 * Reports whether a fragment without an ID starts another call at the same index: it names another function, or the
 * same function again after complete arguments. Otherwise, the upstream repeats the name in every fragment.
 */
function isNextCall(last: OpenCall, fragment: CallFragment): boolean {
  if (fragment.name === "" || last.name === "") return false;
  return fragment.name !== last.name || (fragment.arguments !== "" && last.given.isObject());
}

/** Reports whether a fragment brings the ID of a call that started without one. */
function isUnidentified(last: OpenCall, { name }: CallFragment): boolean {
  return last.id === "" && (name === "" || last.name === "");
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * The arguments of a call, as far as they have arrived. Each character is read once, because an upstream can send long
 * arguments in thousands of fragments.
 */
class Arguments {
  text = "";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** True if the last character that is not inside a string closed the outermost object. */
  #isClosed = false;
  /** Whether the closed text is valid JSON; null if unknown. No later text makes an invalid one valid. */
  #isValid: boolean | null = null;

  add(part: string): void {
    if (part === "") return;
    this.text += part;
    if (this.#isValid === true) this.#isValid = null;
    for (let index = 0; index < part.length; index += 1) this.#read(part.charCodeAt(index));
  }

  /** Reports whether the arguments are a complete object. */
  isObject(): boolean {
    if (!this.#isClosed) return false;
    this.#isValid ??= isJson(this.text);
    return this.#isValid;
  }

  #read(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#isInString = false;
      return;
    }
    if (code === QUOTE) this.#isInString = true;
    else if (code === OPEN_BRACE) this.#depth += 1;
    else if (code === CLOSE_BRACE) this.#depth -= 1;
    this.#isClosed = code === CLOSE_BRACE ? this.#depth === 0 : this.#isClosed && code <= 32;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
