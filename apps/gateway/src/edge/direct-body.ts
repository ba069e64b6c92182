import { IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** Takes a request body as the parser hands it over. */
export interface BodySink {
  /** Returns false to stop reading from the socket until the body is resumed. */
  takeChunk(chunk: Buffer): boolean;
  takeEnd(): void;
}

/**
 * A request whose body can bypass the stream machinery, which costs a tenth of a small call. Without a sink it behaves
 * as any other request. It leans on how the parser hands over bodies (`push`), so `direct-body.test.ts` pins that.
 */
export class DirectBody extends IncomingMessage {
  sink: BodySink | null = null;
  /** The answer to this request, known once the server has taken it. */
  response: ServerResponse | null = null;
  /** The headers that may carry a key on the listener this request came through. */
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

  /** Starts reading again after the sink asked to stop. */
  resumeBody(): void {
    this._read(0);
  }
}

const usual = IncomingMessage.prototype as unknown as { _dump(): void };
const endedAsUsual = Object.getOwnPropertyDescriptor(Readable.prototype, "readableEnded")?.get as () => boolean;

/** After the answer what is left of the body is thrown away; with a sink that stopped reading, reading starts again. */
DirectBody.prototype._dump = function dump(this: DirectBody): void {
  if (this.sink === null) return usual._dump.call(this);
  this._dumped = true;
  if (!this.complete) this.resumeBody();
};

/** The server keeps a connection only when its request has ended; with a sink the parser knows, not the stream. */
Object.defineProperty(DirectBody.prototype, "readableEnded", {
  get(this: DirectBody): boolean {
    return this.sink === null ? endedAsUsual.call(this) : this.complete;
  },
});
