import { crc32 } from "node:zlib";
import { MalformedResponse } from "../../call/provider.ts";

/** Size of the prelude, which contains two lengths and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const LEAST_FRAME_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;
const MAX_FRAME_BYTES = 1024 * 1024;
const NAME = /^[A-Za-z]{1,64}$/;
const LINE_END = /[\r\n]+/g;

/**
 * Converts Amazon's binary frames to server-sent events as they arrive, so that all later code reads one stream format.
 * An event becomes `{"contentBlockDelta":{…}}`, and a failure becomes `{"exception":"throttlingException","body":{…}}`.
 */
export class EventStreamDecoder {
  #parts: Buffer[] = [];
  #length = 0;
  /** Number of bytes needed before decoding can continue. */
  #needed = PRELUDE_BYTES;
  /** Set if the bytes after the last returned events are malformed. */
  damage: MalformedResponse | null = null;

  /**
   * Returns the complete events as text, one character per byte. Throws a `MalformedResponse` if the bytes are malformed
   * from the beginning. Events before a malformed frame are returned, because a read can contain many frames.
   */
  push(chunk: Buffer): string {
    // The caller reuses the memory of its chunk.
    const copy = Buffer.from(chunk);
    this.#parts.push(copy);
    this.#length += copy.length;
    if (this.#length < this.#needed) return "";
    const bytes = this.#parts.length === 1 ? copy : Buffer.concat(this.#parts, this.#length);
    let at = 0;
    let events = "";
    this.#needed = PRELUDE_BYTES;
    try {
      while (bytes.length - at >= PRELUDE_BYTES) {
        const frameBytes = readPrelude(bytes, at);
        if (bytes.length - at < frameBytes) {
          this.#needed = frameBytes;
          break;
        }
        events += readFrame(bytes.subarray(at, at + frameBytes));
        at += frameBytes;
      }
    } catch (error) {
      if (events === "" || !(error instanceof MalformedResponse)) throw error;
      this.damage = error;
    }
    this.#parts = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
    return events;
  }
}

/**
 * Returns the length of the frame that starts at this position. Validates the prelude first, because a wrong length
 * would make the decoder wait for bytes that never arrive.
 */
function readPrelude(bytes: Buffer, at: number): number {
  const frameBytes = bytes.readUInt32BE(at);
  const headerBytes = bytes.readUInt32BE(at + 4);
  if (bytes.readUInt32BE(at + 8) !== crc32(bytes.subarray(at, at + 8))) throw damaged("prelude");
  if (frameBytes < LEAST_FRAME_BYTES || frameBytes > MAX_FRAME_BYTES) throw damaged("frame length");
  if (headerBytes > frameBytes - LEAST_FRAME_BYTES) throw damaged("header length");
  return frameBytes;
}

function readFrame(frame: Buffer): string {
  const end = frame.length - CHECKSUM_BYTES;
  if (frame.readUInt32BE(end) !== crc32(frame.subarray(0, end))) throw damaged("frame checksum");
  const payloadStart = PRELUDE_BYTES + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, payloadStart));
  // Line breaks are removed. Between JSON tokens, a line break has no meaning, but it would end the line of the
  // server-sent event.
  const payload = frame.toString("latin1", payloadStart, end).replaceAll(LINE_END, " ").trim();
  const body = payload === "" ? "{}" : payload;
  switch (headers.get(":message-type")) {
    case "event":
      return `data: {"${nameIn(headers, ":event-type")}":${body}}\n\n`;
    case "exception":
      return `data: {"exception":"${nameIn(headers, ":exception-type")}","body":${body}}\n\n`;
    case "error": {
      const message = JSON.stringify({ message: headers.get(":error-message") ?? "" });
      return `data: {"exception":"${nameIn(headers, ":error-code")}","body":${message}}\n\n`;
    }
    default:
      throw damaged("message type");
  }
}

function nameIn(headers: ReadonlyMap<string, string>, header: string): string {
  const name = headers.get(header) ?? "";
  if (!NAME.test(name)) throw damaged("event name");
  return name;
}

/** Size of a header value in bytes, by type. Values of types that aren't listed start with their length. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES = 6;
const STRING = 7;

/** Returns the string headers. Other headers are ignored. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const take = (count: number): number => {
    const start = at;
    at += count;
    if (at > bytes.length) throw damaged("header");
    return start;
  };
  while (at < bytes.length) {
    const nameLength = bytes.readUInt8(take(1));
    const nameStart = take(nameLength);
    const name = bytes.toString("latin1", nameStart, at);
    const type = bytes.readUInt8(take(1));
    const isSized = type === BYTES || type === STRING;
    const length = isSized ? bytes.readUInt16BE(take(2)) : valueBytes[type];
    if (length === undefined) throw damaged("header type");
    const valueStart = take(length);
    if (type === STRING) headers.set(name, bytes.toString("latin1", valueStart, at));
  }
  return headers;
}

function damaged(what: string): MalformedResponse {
  return new MalformedResponse(`the event stream has an invalid ${what}`);
}
