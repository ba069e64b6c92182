import { decodeIdentity, decodeTarget } from "../record-blocks.ts";
import { JsonBuffer, literal } from "./json-buffer.ts";

interface Prepared {
  /** The identity and target of a record as written. The target begins at `middle`. */
  readonly blocks: Buffer;
  readonly middle: number;
  readonly text: Buffer;
}

const MAX_REMEMBERED = 10_000;
const PRIME = 0x9e3779b1;

/**
 * JSON text of the names in a record: its payer and its target. The same few names recur in every record of a journal,
 * so their text is prepared once and found by the record's bytes.
 */
export class PreparedNames {
  readonly #known = new Map<number, Prepared[]>();
  readonly #json = new JsonBuffer();
  #count = 0;

  /** Returns the beginning of an event's text, up to the value of its ID. */
  find(bytes: Buffer, view: DataView, identityAt: number, targetAt: number, end: number): Buffer {
    const hash = hashOf(view, identityAt, end);
    const found = this.#known.get(hash);
    if (found !== undefined)
      for (const { blocks, middle, text } of found)
        if (middle === targetAt - identityAt && blocks.compare(bytes, identityAt, end) === 0) return text;
    return this.#prepare(Buffer.from(bytes.subarray(identityAt, end)), targetAt - identityAt, hash);
  }

  #prepare(blocks: Buffer, middle: number, hash: number): Buffer {
    if (this.#count >= MAX_REMEMBERED) {
      this.#known.clear();
      this.#count = 0;
    }
    const names = { ...decodeIdentity(blocks.subarray(0, middle)), ...decodeTarget(blocks.subarray(middle)) };
    this.#json.clear();
    this.#json.putValue(names);
    const text = Buffer.concat([this.#json.text.subarray(0, -1), literal(',"id":')]);
    const same = this.#known.get(hash);
    if (same === undefined) this.#known.set(hash, [{ blocks, middle, text }]);
    else same.push({ blocks, middle, text });
    this.#count += 1;
    return text;
  }
}

function hashOf(view: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), PRIME);
  for (; at < end; at += 1) hash = Math.imul(hash ^ view.getUint8(at), PRIME);
  return hash;
}
