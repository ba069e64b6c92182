import { ServerResponse } from "node:http";
import type { DirectBody } from "./direct-body.ts";

/** What Node keeps about an answer's head and does not declare. */
interface InnerResponse {
  _header: string | null;
  _last: boolean;
  chunkedEncoding: boolean;
  shouldKeepAlive: boolean;
  maxRequestsOnConnectionReached: boolean;
  _send(data: string, encoding: "latin1"): boolean;
}

/**
 * An answer whose head can be given as text. Node checks and copies each header on its own, which for our dozen costs a
 * tenth of a small call; here the lines come ready, from parts that cannot hold a line break. Everything that is not
 * such an answer uses `writeHead` as usual. It leans on how Node keeps a head, so `direct-response.test.ts` pins that.
 */
export class DirectResponse extends ServerResponse<DirectBody> {
  /** Called just before the head is written: the last moment to decide that the connection closes with this answer. */
  beforeHead: (() => void) | null = null;

  /** Sends a whole answer in one write. `lines` are header lines, each with its line end; `body` is bytes. */
  sendWhole(lines: string, body: string, statusLine = STATUS_LINE): void {
    const head = `${statusLine}${lines}content-length: ${body.length}\r\n`;
    this.#setHead(head);
    this.end(body, "latin1");
  }

  /** Gives the head of an answer whose length is not known; it leaves with the first bytes that are written. */
  beginStream(lines: string): void {
    this.#setHead(`${STATUS_LINE}${lines}transfer-encoding: chunked\r\n`);
    (this as unknown as InnerResponse).chunkedEncoding = true;
  }

  /** Writes bytes of a stream as one chunk in one write; tells whether the client keeps up. */
  writeText(text: string): boolean {
    // Behind another answer of the same connection there is no socket yet; Node keeps what is written until there is.
    if (this.socket === null) return this.write(text, "latin1");
    return (this as unknown as InnerResponse)._send(`${text.length.toString(16)}\r\n${text}\r\n`, "latin1");
  }

  /** Calls back once the client has taken what `writeText` said it had not. */
  onceDrained(listener: () => void): void {
    if (this.socket === null) this.once("drain", listener);
    else this.socket.once("drain", listener);
  }

  /** Writes the last bytes of a stream together with its end. */
  endText(text: string): void {
    const inner = this as unknown as InnerResponse;
    if (this.socket === null) {
      this.end(text, "latin1");
      return;
    }
    // A chunk without bytes is the closing one itself.
    const last = text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`;
    inner._send(`${last}0\r\n\r\n`, "latin1");
    // The closing chunk has been written, so ending must not write another.
    inner.chunkedEncoding = false;
    this.end();
  }

  #setHead(head: string): void {
    this.beforeHead?.();
    const inner = this as unknown as InnerResponse;
    const closes = !inner.shouldKeepAlive || inner.maxRequestsOnConnectionReached;
    if (closes) inner._last = true;
    inner._header = `${head}date: ${currentDate()}\r\nconnection: ${closes ? "close" : "keep-alive"}\r\n\r\n`;
  }
}

const STATUS_LINE = "HTTP/1.1 200 OK\r\n";

let dateText = "";
let dateSecond = -1;

/** The time as HTTP writes it, made once a second. */
function currentDate(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1_000).toUTCString();
  }
  return dateText;
}
