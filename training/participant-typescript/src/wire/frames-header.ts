import type { JsonObject, JsonValue } from "../handlers.ts";
import { malformed, tooManyEntries } from "./malformed.ts";

export const FRAMES_MAGIC = Buffer.from("TGF1", "ascii");
/** Size of the magic bytes and the header length. */
export const FRAMES_PREFIX_BYTES = 12;
export const MAX_FRAMES_HEADER_BYTES = 16 * 1024 * 1024;

const TABLE_RULE = "the frames header must list each frame's length and sha256";

export interface FrameInfo {
  readonly length: number;
  readonly sha256: string;
}

/** Parsed frames header: the plain fields, and the frame index of each parameter. */
export interface FramesHeader {
  readonly fields: JsonObject;
  readonly frames: readonly FrameInfo[];
  /** Undefined if the field was missing; null if it was null. */
  readonly parameters: number | null | undefined;
  readonly parametersList: readonly number[] | undefined;
}

/** Returns the header length from the first twelve bytes. */
export function readFramesPrefix(prefix: Buffer): number {
  if (!prefix.subarray(0, 4).equals(FRAMES_MAGIC)) throw malformed("the body does not start with TGF1");
  const length = prefix.readBigUInt64LE(4);
  if (length > BigInt(MAX_FRAMES_HEADER_BYTES)) {
    throw malformed("the frames header is longer than 16 MiB");
  }
  if (length === 0n) throw malformed("the frames header is not a JSON object");
  return Number(length);
}

/** Extracts the frame references from a parsed header. Each frame must be used exactly once. */
export function readFramesHeader(header: JsonObject, maxEntries: number): FramesHeader {
  const { frames: table, parameters, parameters_list: list, ...fields } = header;
  const frames = readTable(table, maxEntries);
  const unused = new Set(frames.keys());
  const use = (reference: JsonValue, shape: string): number => {
    const index = isObject(reference) && Object.keys(reference).length === 1 ? reference.$frame : undefined;
    if (typeof index !== "number") throw malformed(shape);
    if (frames[index] === undefined) throw malformed(`unknown frame ${JSON.stringify(index)}`);
    if (!unused.delete(index)) throw malformed(`frame ${index} is used twice`);
    return index;
  };
  const result = {
    fields,
    frames,
    parameters: isAbsent(parameters)
      ? parameters === undefined
        ? undefined
        : null
      : use(parameters, 'parameters must be {"$frame": <index>} or null'),
    parametersList: readList(list, maxEntries)?.map((entry, index) =>
      use(entry, `parameters_list[${index}] must be {"$frame": <index>}`),
    ),
  };
  if (unused.size > 0) throw malformed(`frame ${[...unused][0]} is not used`);
  return result;
}

function isAbsent(value: JsonValue | undefined): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

function readList(list: JsonValue | undefined, maxEntries: number): JsonValue[] | undefined {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) throw malformed("parameters_list must be an array of base64 strings");
  if (list.length > maxEntries) throw tooManyEntries(maxEntries);
  return list;
}

function readTable(table: JsonValue | undefined, maxEntries: number): FrameInfo[] {
  if (!Array.isArray(table)) throw malformed(TABLE_RULE);
  // One more than the list allows, for a body that also has `parameters`.
  if (table.length > maxEntries + 1) throw tooManyEntries(maxEntries);
  return table.map((entry, index) => {
    const { length, sha256 } = isObject(entry) ? entry : {};
    if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0) {
      throw malformed(TABLE_RULE, { problem: `frames[${index}].length` });
    }
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) {
      throw malformed(TABLE_RULE, { problem: `frames[${index}].sha256` });
    }
    return { length, sha256 };
  });
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
