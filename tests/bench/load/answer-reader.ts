const bodyEnd = "\r\n0\r\n\r\n";
const streamEnd = `data: [DONE]\n\n${bodyEnd}`;
const tailLength = 32;

const saysClose = /\r\nconnection: *close/i;

/**
 * Reads responses from a connection as cheaply as possible. Detects the end of a chunked body by the end marker instead
 * of by the chunk sizes, because neither JSON nor event streams can contain the marker.
 */
export class AnswerReader {
  status = 0;
  /** True if the server announced that it will close the connection after this response. */
  endsConnection = false;
  #head = "";
  #isInHead = true;
  #bytesLeft = -1;
  #tail = "";
  #kept: string[] | null = null;
  #isChunked = false;

  /** Prepares for the next response. Collects the response body only if requested, or if the call fails. */
  begin(keepsBody: boolean): void {
    this.status = 0;
    this.#head = "";
    this.#isInHead = true;
    this.#bytesLeft = -1;
    this.#tail = "";
    this.#kept = keepsBody ? [] : null;
  }

  /** Consumes the bytes of one read. Returns true when the response is complete. */
  read(buffer: Buffer, length: number): boolean {
    let from = 0;
    if (this.#isInHead) {
      from = this.#readHead(buffer, length);
      if (this.#isInHead) return false;
    }
    this.#kept?.push(buffer.toString("latin1", from, length));
    if (!this.#isChunked) {
      this.#bytesLeft -= length - from;
      return this.#bytesLeft <= 0;
    }
    this.#tail =
      length - from >= tailLength
        ? buffer.toString("latin1", length - tailLength, length)
        : (this.#tail + buffer.toString("latin1", from, length)).slice(-tailLength);
    return this.#tail.endsWith(bodyEnd);
  }

  /** Reports whether the stream that just ended was complete. */
  endedWithDone(): boolean {
    return this.#tail.endsWith(streamEnd);
  }

  /** Returns the collected body as text, or null if it was not collected. */
  takeBody(): string | null {
    if (this.#kept === null) return null;
    const raw = this.#kept.join("");
    return Buffer.from(this.#isChunked ? joinChunks(raw) : raw, "latin1").toString();
  }

  /** Reads the head and returns the position of the body in this buffer. */
  #readHead(buffer: Buffer, length: number): number {
    const before = this.#head.length;
    this.#head += buffer.toString("latin1", 0, length);
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0) return length;
    this.#isInHead = false;
    this.status = Number(this.#head.slice(9, 12));
    // A failure is rare, and its body says why.
    if (this.status !== 200) this.#kept ??= [];
    this.endsConnection = saysClose.test(this.#head.slice(0, end));
    const reported = /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end))?.[1];
    this.#isChunked = reported === undefined;
    this.#bytesLeft = Number(reported ?? -1);
    return end + 4 - before;
  }
}

function joinChunks(raw: string): string {
  let body = "";
  let at = 0;
  while (true) {
    const lineEnd = raw.indexOf("\r\n", at);
    const size = Number.parseInt(raw.slice(at, lineEnd), 16);
    if (!(size > 0)) return body;
    body += raw.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}
