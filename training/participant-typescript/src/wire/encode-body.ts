import type { JsonObject } from "../handlers.ts";
import { base64Chunks, base64Length } from "./base64-chunks.ts";
import { FRAMES_MAGIC, FRAMES_PREFIX_BYTES, type FrameInfo, MAX_FRAMES_HEADER_BYTES } from "./frames-header.ts";
import { CHUNK_BYTES } from "./memory-bytes.ts";
import type { StoredBytes } from "./stored-bytes.ts";
import { type Blobs, FRAMES_TYPE, JSON_TYPE, type WireForm } from "./wire-body.ts";

/** A body ready to send. `chunks` can be iterated again for a retry. */
export interface EncodedBody {
  readonly contentType: string;
  /** Exact total size of the chunks. */
  readonly contentLength: number;
  /** Each chunk is valid until the next one is requested. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Encodes fields and parameters as a body that is generated while it is sent and never entirely in memory. */
export function encodeBody(fields: JsonObject, blobs: Blobs, form: WireForm): EncodedBody {
  return form === "frames" ? encodeFrames(fields, blobs) : encodeJson(fields, blobs);
}

/** A piece of JSON text, or parameters to be written as base64. */
type JsonPart = Buffer | StoredBytes;

function encodeJson(fields: JsonObject, blobs: Blobs): EncodedBody {
  const parts: JsonPart[] = [];
  let text = "{";
  const addBlob = (blob: StoredBytes): void => {
    parts.push(Buffer.from(`${text}"`), blob);
    text = '"';
  };
  if (blobs.parameters !== undefined) {
    text += '"parameters":';
    if (blobs.parameters === null) text += "null";
    else addBlob(blobs.parameters);
  }
  if (blobs.parametersList !== undefined) {
    text += `${text === "{" ? "" : ","}"parameters_list":[`;
    for (const [index, entry] of blobs.parametersList.entries()) {
      if (index > 0) text += ",";
      addBlob(entry);
    }
    text += "]";
  }
  const rest = JSON.stringify(fields).slice(1);
  parts.push(Buffer.from(`${text}${text === "{" || rest === "}" ? "" : ","}${rest}`));
  return {
    contentType: JSON_TYPE,
    contentLength: parts.reduce(
      (sum, part) => sum + (Buffer.isBuffer(part) ? part.length : base64Length(part.byteLength)),
      0,
    ),
    chunks: repeatable(async function* () {
      for (const part of parts) {
        if (Buffer.isBuffer(part)) yield* slices(part);
        else yield* base64Chunks(part.chunks());
      }
    }),
  };
}

function encodeFrames(fields: JsonObject, blobs: Blobs): EncodedBody {
  const stored: StoredBytes[] = [];
  const reference = (blob: StoredBytes): JsonObject => ({ $frame: stored.push(blob) - 1 });
  const object = {
    ...fields,
    parameters: blobs.parameters && reference(blobs.parameters),
    parameters_list: blobs.parametersList?.map(reference),
  };
  const frames: FrameInfo[] = stored.map(({ byteLength, sha256 }) => ({ length: byteLength, sha256 }));
  const header = Buffer.from(JSON.stringify({ ...object, frames }));
  if (header.length > MAX_FRAMES_HEADER_BYTES) {
    throw new RangeError(
      `A frames header can have at most ${MAX_FRAMES_HEADER_BYTES} bytes, but this one has ${header.length}.`,
    );
  }
  const prefix = Buffer.alloc(FRAMES_PREFIX_BYTES);
  prefix.set(FRAMES_MAGIC);
  prefix.writeBigUInt64LE(BigInt(header.length), FRAMES_MAGIC.length);
  return {
    contentType: FRAMES_TYPE,
    contentLength: stored.reduce((sum, blob) => sum + blob.byteLength, prefix.length + header.length),
    chunks: repeatable(async function* () {
      yield prefix;
      yield* slices(header);
      for (const blob of stored) yield* blob.chunks();
    }),
  };
}

function repeatable(generate: () => AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: generate };
}

function* slices(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
