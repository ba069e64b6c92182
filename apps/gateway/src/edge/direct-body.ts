import { IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** Receives the chunks of a request body from the parser. */
export interface BodySink {
  /** Returns false to stop reading from the socket until the body is resumed. */
  takeChunk(chunk: Buffer): boolean;
  takeEnd(): void;
}

/**
 * A request whose body can bypass the stream machinery, which accounts for 10% of the time spent on a small call.
 * Without a sink, it behaves like any other request. It relies on how the parser delivers bodies (`push`), which
 * `direct-body.test.ts` verifies.
 */
export class DirectBody extends IncomingMessage {
  sink: BodySink | null = null;
  /** The response to this request, set once the server has accepted it. */
  response: ServerResponse | null = null;
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
