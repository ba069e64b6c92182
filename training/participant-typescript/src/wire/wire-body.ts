import type { JsonObject } from "../handlers.ts";
import type { StoredBytes } from "./stored-bytes.ts";

export const FRAMES_TYPE = "application/vnd.tollgate.frames";
export const JSON_TYPE = "application/json";

/** JSON with base64, which every client supports, or frames: a JSON header followed by raw bytes. */
export type WireForm = "json" | "frames";

/** Parameters of a body, separate from its other fields. */
export interface Blobs {
  /** Undefined if the field was missing; null if it was null or "". */
  readonly parameters?: StoredBytes | null;
  readonly parametersList?: readonly StoredBytes[];
}

/** Decoded body: the small JSON fields as values, the parameters as stored bytes. */
export interface DecodedBody {
  readonly fields: JsonObject;
  readonly blobs: Blobs;
  /** Hash of the bytes after decompression. Requests with the same idempotency key must have the same hash. */
  readonly sha256: string;
  readonly byteLength: number;
}

export interface DecodeOptions {
  readonly form: WireForm;
  /** Maximum size after decompression. Larger bodies are rejected with PAYLOAD_TOO_LARGE while they are being read. */
  readonly maxBytes: number;
  /** Maximum number of `parameters_list` entries. */
  readonly maxEntries: number;
  /** Parameters up to this size stay in memory; larger parameters go to a file in `folder`. */
  readonly memoryBytes: number;
  readonly folder: string;
}
