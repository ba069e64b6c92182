import { MalformedResponse, type UpstreamHeaders } from "../call/provider.ts";

/** Maximum size of a response's head, and of its trailers. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Maximum length of the line with a chunk's size, including its extensions. */
const MAX_CHUNK_LINE_BYTES = 4 * 1024;
/** Maximum number of informational responses before the final response. */
const MAX_INFORMATIONS = 32;

/**
 * A head as RFC 9112 defines it, without its obsolete forms: no folded lines, no bare line feeds, no whitespace before a
 * colon, no control characters. Each character can match only one way, so matching takes linear time.
 */
const HEAD =
  /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const HEAD_END = Buffer.from("\r\n\r\n");
/** The beginning of a status line. */
const STATUS_LINE = "HTTP/1.";
/** An incomplete line, which can't contain a line break or another control character, except for the return at its end. */
const LINE_BEGUN = /^[\t\x20-\x7e\x80-\xff]*\r?$/;
/** The trailers after the last chunk. They follow the grammar of a head and are ignored. */
const TRAILERS = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
/** The size of a chunk, at most 48 bits, and extensions, which are ignored. */
const CHUNK_LINE = /^0{0,16}([0-9A-Fa-f]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/;

/** Maximum number of digits of a size that is read byte by byte. Longer sizes are read with the pattern. */
const PLAIN_SIZE_DIGITS = 8;
const NO_DIGIT = 255;
const HEX_VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (const digit of "0123456789abcdefABCDEF") HEX_VALUES[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** Receives a response. */
interface ResponseListener {
  onHead(status: number, headers: UpstreamHeaders): void;
  /** The bytes are valid only during this call. */
  onBody(bytes: Buffer): void;
  /** Called once. `rest` is the number of bytes after the response, which belong to no request. */
  onComplete(rest: number): void;
}

/** How the end of the current part is found. */
type Part = "head" | "counted" | "untilClose" | "chunkLine" | "chunk" | "chunkEnd" | "trailers" | "complete";

/**
 * Parses the responses on one connection, one after another. It accepts less than a browser would: what is ambiguous is
 * malformed, because a response whose end is in doubt could become part of another caller's response.
 */
export class ResponseParser {
  readonly #listener: ResponseListener;
  #part: Part = "complete";
  /** Bytes of the current body or chunk that have not arrived yet. */
  #remaining = 0;
  /** The beginning of a head, line, or trailers of which the rest has not arrived yet, one character per byte. */
  #begun = "";
  #informations = 0;
  /** True if the connection can be used for another request after this response. */
  keepsAlive = false;
  /** Idle time after which the upstream closes the connection; null if it did not say. */
  idleMs: number | null = null;

  constructor(listener: ResponseListener) {
    this.#listener = listener;
  }

  /** Expects the response to a new request. */
  begin(): void {
    this.#part = "head";
    this.#begun = "";
    this.#informations = 0;
  }

  /** Parses the bytes of one read, and passes their part of the body on as one piece. Throws `MalformedResponse`. */
  push(bytes: Buffer): void {
    switch (this.#part) {
      case "head":
        return this.#pushHead(bytes);
      case "counted":
        return this.#pushCounted(bytes, 0);
      case "untilClose":
        return this.#listener.onBody(bytes);
      case "complete":
        throw new MalformedResponse("bytes that belong to no request");
      default:
        return this.#pushChunks(bytes, 0);
    }
  }

  /** Reports the end of the connection. Returns false if the response is incomplete. */
  end(): boolean {
    if (this.#part !== "untilClose") return this.#part === "complete";
    this.#complete(0);
    return true;
  }

  #pushHead(bytes: Buffer): void {
    const begun = this.#begun.length;
    const head = this.#readHead(bytes);
    if (head === null) return;
    if (!HEAD.test(head)) throw new MalformedResponse("the head is invalid");
    const status = Number(head.slice(9, 12));
    const from = head.length - begun;
    if (status >= 200) return this.#beginBody(status, head, bytes, from);
    this.#informations += 1;
    if (status === 101 || this.#informations > MAX_INFORMATIONS) {
      throw new MalformedResponse("an unexpected interim response");
    }
    if (from < bytes.length) this.#pushHead(bytes.subarray(from));
  }

  /** Returns the head if it is complete. It contains no part of the body, because its headers live as long as the call. */
  #readHead(bytes: Buffer): string | null {
    const known = this.#begun;
    const end = known === "" ? bytes.indexOf(HEAD_END) : -1;
    if (end >= 0 && end <= MAX_HEAD_BYTES) return bytes.toString("latin1", 0, end + HEAD_END.length);
    const text = known + bytes.toString("latin1", 0, Math.min(bytes.length, MAX_HEAD_BYTES + 4 - known.length));
    const joinedEnd = text.indexOf("\r\n\r\n", Math.max(0, known.length - 3));
    if (joinedEnd > MAX_HEAD_BYTES) throw new MalformedResponse("the head is too long");
    this.#begun = joinedEnd < 0 ? expectHead(text) : "";
    return joinedEnd < 0 ? null : text.slice(0, joinedEnd + HEAD_END.length);
  }

  #beginBody(status: number, head: string, bytes: Buffer, from: number): void {
    const headers = readHeaders(head);
    const { "content-length": length, "transfer-encoding": encoding, connection } = headers;
    const hasBody = status !== 204 && status !== 304;
    const isOld = head.charCodeAt(7) === 0x30;
    this.keepsAlive = isOld ? hasToken(connection, "keep-alive") : !hasToken(connection, "close");
    this.idleMs = headers["keep-alive"] === undefined ? null : readIdleMs(headers["keep-alive"]);
    if (encoding !== undefined) {
      if (length !== undefined || typeof encoding !== "string" || encoding.toLowerCase() !== "chunked") {
        throw new MalformedResponse("the length is ambiguous");
      }
      // RFC 9112 calls this framing faulty: a proxy that speaks HTTP/1.0 may not know the encoding.
      if (isOld) this.keepsAlive = false;
      this.#part = "chunkLine";
    } else if (length !== undefined) {
      if (typeof length !== "string" || !/^\d{1,15}$/.test(length))
        throw new MalformedResponse("the length is invalid");
      this.#part = "counted";
      this.#remaining = Number(length);
    } else {
      this.#part = "untilClose";
      if (hasBody) this.keepsAlive = false;
    }
    // An upstream that announces a body here may also send it, and it would be mistaken for the next response.
    if (!hasBody && (encoding !== undefined || Number(length ?? 0) > 0)) this.keepsAlive = false;
    this.#listener.onHead(status, headers);
    if (!hasBody) this.#complete(bytes.length - from);
    else if (this.#part === "counted") this.#pushCounted(bytes, from);
    else if (this.#part === "chunkLine") this.#pushChunks(bytes, from);
    else if (from < bytes.length) this.#listener.onBody(bytes.subarray(from));
  }

  #pushCounted(bytes: Buffer, from: number): void {
    const to = Math.min(bytes.length, from + this.#remaining);
    this.#remaining -= to - from;
    if (to > from) this.#listener.onBody(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
    if (this.#remaining === 0) this.#complete(bytes.length - to);
  }

  /**
   * Moves the contents of all chunks in these bytes together, so that a read results in one piece, however many frames
   * the upstream wrote.
   */
  #pushChunks(bytes: Buffer, from: number): void {
    const { length } = bytes;
    let at = from;
    let bodyFrom = from;
    let bodyTo = from;
    try {
      while (at < length) {
        if (this.#part === "chunk") {
          const to = Math.min(length, at + this.#remaining);
          this.#remaining -= to - at;
          if (bodyTo === bodyFrom) {
            bodyFrom = at;
            bodyTo = to;
          } else {
            bytes.copyWithin(bodyTo, at, to);
            bodyTo += to - at;
          }
          at = to;
          if (this.#remaining === 0) this.#part = "chunkEnd";
        } else if (this.#part === "trailers") {
          at = this.#readTrailers(bytes, at);
          if (at >= 0) break;
          at = length;
        } else {
          at = this.#readChunkLine(bytes, at);
        }
      }
    } catch (error) {
      // What precedes a malformed chunk is passed on, however the bytes were split into reads.
      if (bodyTo > bodyFrom) this.#listener.onBody(bytes.subarray(bodyFrom, bodyTo));
      throw error;
    }
    if (bodyTo > bodyFrom) this.#listener.onBody(bytes.subarray(bodyFrom, bodyTo));
    if (this.#part === "complete") this.#complete(length - at);
  }

  /** Reads the line break after a chunk, or the line before one. Returns the position after what was read. */
  #readChunkLine(bytes: Buffer, from: number): number {
    const next = this.#begun === "" ? this.#readPlainLine(bytes, from) : -1;
    if (next >= 0) return next;
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end + 1;
    if (to - from + this.#begun.length > MAX_CHUNK_LINE_BYTES)
      throw new MalformedResponse("a chunk's line is too long");
    const line = this.#begun + bytes.toString("latin1", from, to);
    this.#begun = end < 0 ? line : "";
    if (this.#part === "chunkEnd") {
      // A wrong byte is refused at once, and not when a line is complete.
      if (!"\r\n".startsWith(line)) throw new MalformedResponse("a chunk is longer than its size");
      if (end >= 0) this.#part = "chunkLine";
      return to;
    }
    if (end < 0) return to;
    if (!line.endsWith("\r\n")) throw new MalformedResponse("a chunk's line ends without a carriage return");
    const size = CHUNK_LINE.exec(line.slice(0, -2));
    if (size === null) throw new MalformedResponse("a chunk's size is invalid");
    this.#remaining = Number.parseInt(size[1] as string, 16);
    this.#part = this.#remaining === 0 ? "trailers" : "chunk";
    return to;
  }

  /**
   * Reads the line break after a chunk, or a line that has only a size, without a string in between. Returns -1 for
   * every other line, valid or not.
   */
  #readPlainLine(bytes: Buffer, from: number): number {
    let at = from;
    let size = 0;
    if (this.#part === "chunkLine") {
      const most = Math.min(bytes.length, from + PLAIN_SIZE_DIGITS);
      for (; at < most; at += 1) {
        const digit = HEX_VALUES[bytes[at] as number] as number;
        if (digit === NO_DIGIT) break;
        size = size * 16 + digit;
      }
      if (at === from) return -1;
    }
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) return -1;
    if (this.#part === "chunkEnd") this.#part = "chunkLine";
    else {
      this.#remaining = size;
      this.#part = size === 0 ? "trailers" : "chunk";
    }
    return at + 2;
  }

  /** Returns the position after the trailers, or -1 if they are incomplete. */
  #readTrailers(bytes: Buffer, from: number): number {
    const begun = this.#begun.length;
    const text =
      this.#begun + bytes.toString("latin1", from, Math.min(bytes.length, from + MAX_HEAD_BYTES + 4 - begun));
    const end = text.startsWith("\r\n") ? 2 : text.indexOf("\r\n\r\n", Math.max(0, begun - 3)) + 4;
    if (end < 4 && !text.startsWith("\r\n")) {
      if (text.length > MAX_HEAD_BYTES) throw new MalformedResponse("the trailers are too long");
      this.#begun = text;
      return -1;
    }
    if (!TRAILERS.test(text.slice(0, end))) throw new MalformedResponse("the trailers are invalid");
    this.#begun = "";
    this.#part = "complete";
    return from + end - begun;
  }

  #complete(rest: number): void {
    this.#part = "complete";
    this.#listener.onComplete(rest);
  }
}

/** Returns the beginning of a head. Throws if no valid head can begin this way, so that the rest is not awaited. */
function expectHead(text: string): string {
  const lines = text.lastIndexOf("\r\n") + 2;
  const isValid =
    (lines < 2 ? text.startsWith(STATUS_LINE.slice(0, text.length)) : HEAD.test(`${text.slice(0, lines)}\r\n`)) &&
    LINE_BEGUN.test(lines < 2 ? text : text.slice(lines));
  if (!isValid) throw new MalformedResponse("the head is invalid");
  if (text.length > MAX_HEAD_BYTES) throw new MalformedResponse("the head is too long");
  return text;
}

/** Reads the header lines of a valid head. Names are lowercase. A repeated header has a list of values. */
function readHeaders(head: string): UpstreamHeaders {
  const headers: Record<string, string | string[]> = {};
  let from = head.indexOf("\r\n") + 2;
  for (;;) {
    const to = head.indexOf("\r\n", from);
    if (to === from) return headers;
    const colon = head.indexOf(":", from);
    const name = head.slice(from, colon).toLowerCase();
    const value = withoutBlanks(head, colon + 1, to);
    const known = headers[name];
    if (typeof known === "string") headers[name] = [known, value];
    else if (Array.isArray(known)) known.push(value);
    else headers[name] = value;
    from = to + 2;
  }
}

/** Returns a value without the spaces and tabs around it. Other whitespace belongs to the value. */
function withoutBlanks(head: string, from: number, to: number): string {
  let first = from;
  let last = to;
  while (first < last && isBlank(head.charCodeAt(first))) first += 1;
  while (last > first && isBlank(head.charCodeAt(last - 1))) last -= 1;
  return head.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Reports whether a list of tokens in a header contains the token. */
function hasToken(header: string | readonly string[] | undefined, token: string): boolean {
  if (header === undefined) return false;
  const list = typeof header === "string" ? header : header.join(",");
  return list.split(",").some((one) => one.trim().toLowerCase() === token);
}

/** Reads the time for which the upstream keeps an idle connection open. */
function readIdleMs(header: string | readonly string[]): number | null {
  const seconds = /(?:^|[,\s])timeout=(\d{1,6})(?:$|[,\s])/i.exec(String(header))?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}
