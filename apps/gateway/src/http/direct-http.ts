import { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { BodyPieces } from "../call/body-pieces.ts";
import type { BodySink, ExchangeRequest, ExchangeResponse } from "../call/exchange.ts";
import { lastLines } from "./plain-connection.ts";

/**
 * A request whose body can bypass the stream machinery, which accounts for 10% of the time spent on a small call.
 * Without a sink, it behaves like any other request. It relies on how the parser delivers bodies (`push`), which
 * `direct-body.test.ts` verifies.
 */
export class DirectBody extends IncomingMessage implements ExchangeRequest {
  sink: BodySink | null = null;
  /** The response to this request, set once the server has accepted it. */
  response: DirectResponse | null = null;
  /** Headers that may contain a key on the listener that received this request. */
  keyHeaders: readonly string[] = [];
  declare _dumped: boolean;
  declare _dump: () => void;

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const sink = this.sink;
    if (sink === null) return super.push(chunk, encoding);
    if (chunk === null) {
      sink.takeEnd();
      return true;
    }
    return sink.takeChunk(chunk);
  }

  /** Resumes reading after the sink has paused it. */
  resumeBody(): void {
    this._read(0);
  }
}

const usual = IncomingMessage.prototype as unknown as { _dump(): void };
const endedAsUsual = Object.getOwnPropertyDescriptor(Readable.prototype, "readableEnded")?.get as () => boolean;

/** After the response, the rest of the body is discarded. If the sink has paused reading, resume it. */
DirectBody.prototype._dump = function dump(this: DirectBody): void {
  if (this.sink === null) return usual._dump.call(this);
  this._dumped = true;
  if (!this.complete) this.resumeBody();
};

/**
 * The server keeps a connection open only if the request has ended. With a sink, the body bypasses the stream, so the
 * parser reports the end.
 */
Object.defineProperty(DirectBody.prototype, "readableEnded", {
  get(this: DirectBody): boolean {
    return this.sink === null ? endedAsUsual.call(this) : this.complete;
  },
});

/** Fields of Node's response head that Node's types don't declare. */
interface InnerResponse {
  _header: string | null;
  _last: boolean;
  chunkedEncoding: boolean;
  shouldKeepAlive: boolean;
  maxRequestsOnConnectionReached: boolean;
  _send(data: string, encoding: "latin1"): boolean;
}

/**
 * A response whose head can be given as text. Node validates and copies each header separately, which accounts for 10%
 * of the time spent on a small call with a dozen headers. Here, the lines are prebuilt from parts that can't contain a
 * line break. All other responses use `writeHead`. The class relies on how Node stores a head, which
 * `direct-response.test.ts` verifies.
 */
export class DirectResponse extends ServerResponse<DirectBody> implements ExchangeResponse {
  /** Called just before the head is written. This is the last chance to close the connection with this response. */
  beforeHead: (() => void) | null = null;

  /**
   * Sends a complete response in one write. `lines` are header lines, each with its line ending. `body` has one
   * character per byte.
   */
  sendWhole(lines: string, body: string | BodyPieces, statusLine = STATUS_LINE): void {
    const head = `${statusLine}${lines}content-length: ${body.length}\r\n`;
    this.#setHead(head);
    if (typeof body === "string") this.end(body, "latin1");
    else this.end(body.join());
  }

  /** Sets the head of a response of unknown length. The head is sent with the first bytes of the body. */
  beginStream(lines: string): void {
    this.#setHead(`${STATUS_LINE}${lines}transfer-encoding: chunked\r\n`);
    (this as unknown as InnerResponse).chunkedEncoding = true;
  }

  /** Writes bytes of a stream as one chunk in one write. Returns false if the client reads too slowly. */
  writeText(text: string): boolean {
    // A response that waits behind another one on the same connection has no socket yet, so Node buffers its data.
    if (this.socket === null) return this.write(text, "latin1");
    return (this as unknown as InnerResponse)._send(`${text.length.toString(16)}\r\n${text}\r\n`, "latin1");
  }

  /** Calls the listener once the client has read the data for which `writeText` returned false. */
  onceDrained(listener: () => void): void {
    if (this.socket === null) this.once("drain", listener);
    else this.socket.once("drain", listener);
  }

  /** Writes the last bytes of a stream together with its closing chunk. */
  endText(text: string): void {
    const inner = this as unknown as InnerResponse;
    if (this.socket === null) {
      this.end(text, "latin1");
      return;
    }
    // An empty chunk would be the closing chunk itself.
    const last = text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`;
    inner._send(`${last}0\r\n\r\n`, "latin1");
    // The closing chunk has been written, so `end` must not write another one.
    inner.chunkedEncoding = false;
    this.end();
  }

  /** Makes this response the last one on its connection. The listener closes the connection instead of Node. */
  endConnection(onSent: () => void): void {
    this.shouldKeepAlive = false;
    this.prependOnceListener("finish", () => {
      (this as unknown as InnerResponse)._last = false;
      onSent();
    });
  }

  #setHead(head: string): void {
    this.beforeHead?.();
    const inner = this as unknown as InnerResponse;
    const closes = !inner.shouldKeepAlive || inner.maxRequestsOnConnectionReached;
    if (closes) inner._last = true;
    inner._header = head + lastLines(closes);
  }
}

const STATUS_LINE = "HTTP/1.1 200 OK\r\n";
