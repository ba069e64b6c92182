import { connect, type Socket } from "node:net";
import { ChunkedBody } from "./chunked-body.ts";

const headEnd = "\r\n\r\n";
const contentType = /\r\ncontent-type: *([^\r]*)/i;
const contentLength = /\r\ncontent-length: *(\d+)\r/i;
const chunked = /\r\ntransfer-encoding: *chunked\r/i;
const statusLine = /^HTTP\/1\.1 (\d{3} [^\r]*)\r\n/;

/** Receives the response to a call, as bytes for a client. */
export interface AnswerSink {
  /** Takes the next bytes. Returns false if the upstream has to wait for `resume`. */
  write(bytes: Buffer): boolean;
  end(): void;
  /** The response is incomplete, or there is none. */
  fail(): void;
}

export interface UpstreamCall {
  resume(): void;
  abort(): void;
}

/** A client for one upstream, with persistent connections that each carry one call at a time. */
export class SocketUpstream {
  readonly #port: number;
  readonly #buffer: Buffer;
  readonly #idle: UpstreamConnection[] = [];

  /** All connections read into the same buffer, because each read is consumed before the next one. */
  constructor(port: number, buffer: Buffer) {
    this.#port = port;
    this.#buffer = buffer;
  }

  /** Sends a request and passes its response to the sink. */
  call(head: string, body: Buffer, sink: AnswerSink): UpstreamCall {
    let connection = this.#idle.pop();
    while (connection?.isClosed) connection = this.#idle.pop();
    connection ??= new UpstreamConnection(this.#port, this.#buffer, (idle) => this.#idle.push(idle));
    connection.send(head, body, sink);
    return connection;
  }
}

class UpstreamConnection implements UpstreamCall {
  isClosed = false;
  readonly #socket: Socket;
  readonly #onIdle: (connection: UpstreamConnection) => void;
  #sink: AnswerSink | null = null;
  /** What has arrived of a head, or of a response that is sent in one write. */
  #gathered: Buffer | null = null;
  #answerLength = 0;
  #stream: ChunkedBody | null = null;

  constructor(port: number, buffer: Buffer, onIdle: (connection: UpstreamConnection) => void) {
    this.#onIdle = onIdle;
    // The buffer belongs to the next read when a write is still pending, so bytes are copied.
    const callback = (length: number) => this.#read(Buffer.from(buffer.subarray(0, length)));
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer, callback } });
    this.#socket.on("error", () => undefined);
    this.#socket.on("end", () => this.#socket.destroy());
    this.#socket.on("close", () => this.#close());
  }

  send(head: string, body: Buffer, sink: AnswerSink): void {
    const request = Buffer.allocUnsafe(head.length + body.length);
    request.write(head, "latin1");
    body.copy(request, head.length);
    this.#sink = sink;
    this.#socket.write(request);
  }

  resume(): void {
    this.#socket.resume();
  }

  abort(): void {
    this.#sink = null;
    this.#socket.destroy();
  }

  /** Returns false if the socket has to stop reading. */
  #read(bytes: Buffer): boolean {
    if (this.#sink === null) {
      // The upstream sent more than its response.
      this.#socket.destroy();
      return true;
    }
    if (this.#stream !== null) return this.#forward(this.#stream, bytes, bytes);
    this.#gathered = this.#gathered === null ? bytes : Buffer.concat([this.#gathered, bytes]);
    return this.#answerLength === 0 ? this.#readHead(this.#gathered) : this.#sendIfComplete(this.#gathered);
  }

  #readHead(bytes: Buffer): boolean {
    const headLength = bytes.indexOf(headEnd) + headEnd.length;
    if (headLength < headEnd.length) return true;
    const head = bytes.toString("latin1", 0, headLength);
    const status = statusLine.exec(head)?.[1];
    const length = contentLength.exec(head)?.[1];
    if (status === undefined || (length === undefined && !chunked.test(head))) {
      this.#socket.destroy();
      return true;
    }
    const type = contentType.exec(head)?.[1] ?? "";
    const framing = length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`;
    const ownHead = Buffer.from(`HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${framing}\r\n\r\n`, "latin1");
    const body = bytes.subarray(headLength);
    const answer = Buffer.concat([ownHead, body]);
    if (length === undefined) {
      this.#gathered = null;
      this.#stream = new ChunkedBody();
      return this.#forward(this.#stream, body, answer);
    }
    this.#gathered = answer;
    this.#answerLength = ownHead.length + Number(length);
    return this.#sendIfComplete(answer);
  }

  /** Forwards a part of a stream. `bytes` ends with these bytes of the body. */
  #forward(stream: ChunkedBody, body: Buffer, bytes: Buffer): boolean {
    const end = stream.read(body);
    const excess = end < 0 ? 0 : body.length - end;
    const hasCapacity = this.#sink?.write(excess === 0 ? bytes : bytes.subarray(0, -excess)) ?? true;
    if (end < 0) return hasCapacity;
    this.#stream = null;
    this.#finish(excess === 0);
    return true;
  }

  #sendIfComplete(answer: Buffer): boolean {
    const length = this.#answerLength;
    if (answer.length < length) return true;
    this.#gathered = null;
    this.#answerLength = 0;
    this.#sink?.write(answer.length === length ? answer : answer.subarray(0, length));
    this.#finish(answer.length === length);
    return true;
  }

  #finish(isReusable: boolean): void {
    const sink = this.#sink;
    this.#sink = null;
    if (isReusable) this.#onIdle(this);
    else this.#socket.destroy();
    sink?.end();
  }

  #close(): void {
    this.isClosed = true;
    const sink = this.#sink;
    this.#sink = null;
    sink?.fail();
  }
}
