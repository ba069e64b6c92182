import type { JsonObject } from "../handlers.ts";
import type { StoredBytes } from "./stored-bytes.ts";

export const FRAMES_TYPE = "application/vnd.tollgate.frames";
export const JSON_TYPE = "application/json";

/** JSON with base64, which every client speaks, or frames: a JSON header and raw bytes after it. */
export type WireForm = "json" | "frames";

/** The parameters of a body, apart from its other fields. */
export interface Blobs {
  /** Undefined: the field was missing. Null: it was null or "". */
  readonly parameters?: StoredBytes | null;
  readonly parametersList?: readonly StoredBytes[];
}

/** A body read from the wire: the small JSON as values, the parameters as stored bytes. */
export interface DecodedBody {
  readonly fields: JsonObject;
  readonly blobs: Blobs;
  /** Of the bytes as they came (after inflating): two requests with one idempotency key must share it. */
  readonly sha256: string;
  readonly byteLength: number;
}

export interface DecodeOptions {
  readonly form: WireForm;
  /** Bytes after inflating. One more is refused with PAYLOAD_TOO_LARGE while reading. */
  readonly maxBytes: number;
  /** Entries of `parameters_list`. */
  readonly maxEntries: number;
  /** Parameters up to this many bytes stay in memory; above they go to a file in `folder`. */
  readonly memoryBytes: number;
  readonly folder: string;
}
