import { STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { BodyPieces } from "../call/body-pieces.ts";
import { bodyCutOff } from "../call/client-disconnected.ts";
import type { Exchange, ExchangeRequest, ExchangeResponse } from "../call/exchange.ts";
import type { Connection } from "./connections.ts";
import { type PlainHead, readPlainHead } from "./plain-head.ts";
import type { MatchedRoute } from "./route-table.ts";

/** Bytes of later requests that are kept while a response is in progress. Then the socket is paused. */
const MAX_EARLY_BYTES = 64 * 1024;

/** A plain request. Its head has been read, and its body is arriving. */
export class PlainRequest implements ExchangeRequest {
  readonly socket: Socket;
  readonly url: string;
  readonly keyHeaders: readonly string[];
  /** Number of bytes of the body that have not arrived yet. */
  bodyLeft: number;

  constructor(socket: Socket, { target, bodyLength }: PlainHead, keyHeaders: readonly string[]) {
    this.socket = socket;
    this.url = target;
    this.bodyLeft = bodyLength;
    this.keyHeaders = keyHeaders;
  }

  get complete(): boolean {
    return this.bodyLeft === 0;
  }

  resumeBody(): void {
    this.socket.resume();
  }
}

/** The server, as its plain connections see it. */
export interface PlainServer {
  /** Creates the exchange of a request, or returns null if Node's parser must handle it. */
  begin(connection: Connection, head: PlainHead, onEnd: () => void): PlainExchange | null;
  /** Handles the exchange. */
  run(connection: Connection, exchange: PlainExchange): void;
  /** Leaves the connection to Node, with the bytes that Node has not seen. */
  handOver(connection: Connection, bytes: Buffer): void;
  /** Ends a connection whose first request did not arrive in time. */
  refuseLate(connection: Connection): void;
  readonly headersMs: number;
  readonly requestMs: number;
}

export interface PlainExchange {
  readonly route: MatchedRoute;
  readonly exchange: Exchange;
  readonly request: PlainRequest;
}

/**
 * Reads a connection while its bytes are plain requests to inference routes. The first byte of anything else hands the
 * connection to Node's HTTP server, for good and with all bytes that are not part of a finished request.
 */
export class PlainConnection {
  readonly #server: PlainServer;
  readonly #connection: Connection;
  #current: PlainExchange | null = null;
  #isAnswered = false;
  #lastHead: PlainHead | null = null;
  /** Bytes that arrived while a response was in progress. */
  #early: Buffer | null = null;
  #isHandedOver = false;

  constructor(server: PlainServer, connection: Connection) {
    this.#server = server;
    this.#connection = connection;
    connection.plain = this;
  }

  /** Takes the bytes of one read, which are valid only during this call. */
  take(bytes: Buffer): void {
    const current = this.#current;
    if (current !== null) return this.#continue(current, bytes);
    if (this.#isHandedOver || this.#connection.isClosing) return;
    const head = readPlainHead(bytes, this.#lastHead);
    const begun = head === null ? null : this.#server.begin(this.#connection, head, this.#answered);
    if (head === null || begun === null) return this.#handOver(Buffer.from(bytes));
    this.#lastHead = head;
    this.#isAnswered = false;
    this.#current = begun;
    this.#takeBody(begun, bytes, head.bodyFrom);
    this.#server.run(this.#connection, begun);
  }

  /**
   * The client has ended its side. Node's server then also ends the connection at once, unless the client has cut off a
   * request: it refuses a request without its whole body, and answers the one before an incomplete one.
   */
  end(): void {
    if (this.#isHandedOver) return;
    const current = this.#isAnswered ? null : this.#current;
    if (current !== null && !current.request.complete) {
      current.exchange.breakBody(bodyCutOff());
    } else if (current !== null && this.#early !== null) {
      this.#connection.closeAfter(current.exchange.response);
    } else {
      this.#connection.socket.end();
    }
  }

  /** Checks the time limits of a request that is arriving. Called every second, after pending bytes have been read. */
  check(nowMs: number): void {
    if (this.#isHandedOver) return;
    const { requests, openedAtMs, isClosing } = this.#connection;
    if (requests === 0 && !isClosing && nowMs - openedAtMs > this.#server.headersMs) {
      this.#server.refuseLate(this.#connection);
    }
    const current = this.#current;
    if (current === null || current.request.complete || current.exchange.isReadInChunks) return;
    if (nowMs - current.exchange.startedAtMs <= this.#server.requestMs) return;
    if (!this.#isAnswered) current.exchange.breakBody(new Failure("timeout", "The request was not received in time."));
    // After its last response, a connection is closed by the check of all connections, which leaves time to read it.
    else if (!isClosing) this.#connection.socket.destroy();
  }

  #continue(current: PlainExchange, bytes: Buffer): void {
    if (current.request.bodyLeft > 0) this.#takeBody(current, bytes, 0);
    else this.#keep(bytes, 0);
  }

  #takeBody(current: PlainExchange, bytes: Buffer, from: number): void {
    const { request, exchange } = current;
    const to = Math.min(bytes.length, from + request.bodyLeft);
    request.bodyLeft -= to - from;
    if (!this.#isAnswered && to > from) {
      const goesOn = exchange.takeView(bytes.subarray(from, to), request.bodyLeft);
      // A chunk can be refused at once. Then the rest is discarded.
      if (!goesOn && request.bodyLeft > 0 && !this.#isAnswered) request.socket.pause();
    }
    if (request.bodyLeft > 0) return;
    exchange.takeEnd();
    if (this.#isAnswered) this.#next();
    if (to < bytes.length) this.#keep(bytes, to);
  }

  /** Keeps bytes for later if a response is in progress, and otherwise takes them as the next request. */
  #keep(bytes: Buffer, from: number): void {
    if (this.#current === null) return this.take(from === 0 ? bytes : bytes.subarray(from));
    // The next request counts, so that the response in progress doesn't close the connection.
    if (this.#early === null) this.#connection.requests += 1;
    const added = Buffer.from(bytes.subarray(from));
    this.#early = this.#early === null ? added : Buffer.concat([this.#early, added]);
    if (this.#early.length > MAX_EARLY_BYTES) this.#connection.socket.pause();
  }

  readonly #answered = (): void => {
    this.#isAnswered = true;
    if (this.#current?.request.complete === true) this.#next();
    // The rest of the body is discarded, also if this was the last response, whose client may still be sending.
    else this.#connection.socket.resume();
  };

  /** Begins to read the next request. */
  #next(): void {
    this.#current = null;
    const early = this.#early;
    if (early === null) return;
    this.#early = null;
    this.#connection.requests -= 1;
    if (!this.#connection.isClosing) this.#handOver(early);
  }

  #handOver(bytes: Buffer): void {
    this.#isHandedOver = true;
    this.#connection.plain = null;
    this.#server.handOver(this.#connection, bytes);
  }
}

const STATUS_LINE = "HTTP/1.1 200 OK\r\n";
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/;

/** The response to a plain request, written to the socket without Node's response in between. */
export class PlainResponse implements ExchangeResponse {
  beforeHead: (() => void) | null = null;
  headersSent = false;
  readonly #socket: Socket;
  readonly #onEnd: () => void;
  /** The head of a stream, which is sent with its first bytes. */
  #head = "";
  #closes = false;
  #onSent: (() => void) | null = null;

  /** `onEnd` is called once, when the last byte has been written. */
  constructor(socket: Socket, onEnd: () => void) {
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  writeContinue(): never {
    throw new Error("a plain request has no expectation");
  }

  endConnection(onSent: () => void): void {
    this.#closes = true;
    this.#onSent = onSent;
  }

  sendWhole(lines: string, body: string | BodyPieces, statusLine = STATUS_LINE): void {
    const head = this.#headOf(`${statusLine}${lines}content-length: ${body.length}\r\n`);
    if (typeof body === "string") return this.#finish(head + body);
    this.#socket.cork();
    this.#socket.write(head, "latin1");
    for (const piece of body.pieces) this.#socket.write(piece);
    this.#socket.uncork();
    this.#ended();
  }

  beginStream(lines: string): void {
    this.#head = this.#headOf(`${STATUS_LINE}${lines}transfer-encoding: chunked\r\n`);
  }

  writeText(text: string): boolean {
    const head = this.#head;
    this.#head = "";
    return this.#socket.write(`${head}${text.length.toString(16)}\r\n${text}\r\n`, "latin1");
  }

  onceDrained(listener: () => void): void {
    this.#socket.once("drain", listener);
  }

  endText(text: string): void {
    // An empty chunk would be the closing chunk itself.
    const last = text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`;
    this.#finish(`${this.#head}${last}0\r\n\r\n`);
  }

  writeHead(status: number, headers: string[]): void {
    let lines = "";
    for (let index = 0; index < headers.length; index += 2) {
      const [name, value] = [headers[index] as string, headers[index + 1] as string];
      if (UNSAFE.test(value)) throw new Error(`invalid character in the response header ${name}`);
      if (name !== "connection") lines += `${name}: ${value}\r\n`;
    }
    this.#head = this.#headOf(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}`);
  }

  end(body: string): void {
    this.#finish(this.#head + Buffer.from(body).toString("latin1"));
  }

  #headOf(head: string): string {
    this.beforeHead?.();
    this.headersSent = true;
    return head + lastLines(this.#closes);
  }

  #finish(bytes: string): void {
    this.#socket.write(bytes, "latin1");
    this.#ended();
  }

  #ended(): void {
    this.#onSent?.();
    this.#onEnd();
  }
}

let linesSecond = -1;
let closingLines = "";
let keepingLines = "";

/** Returns the last lines of a head: the date, and whether the connection stays open. They change once per second. */
export function lastLines(closes: boolean): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== linesSecond) {
    linesSecond = second;
    const date = `date: ${new Date(second * 1_000).toUTCString()}\r\nconnection: `;
    closingLines = `${date}close\r\n\r\n`;
    keepingLines = `${date}keep-alive\r\n\r\n`;
  }
  return closes ? closingLines : keepingLines;
}

/** All connections read into this buffer, because its bytes are used up before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** Fields of Node's socket that its types don't declare. */
interface InnerSocket {
  _handle: unknown;
  server?: unknown;
  _server?: unknown;
}

/**
 * Replaces an accepted socket by one that reads into a shared buffer, which a server can't request when it accepts. The
 * accepted socket must not have been read from. It relies on how Node stores a socket's handle, which
 * `plain-connection.test.ts` verifies.
 */
export function readDirectly(accepted: Socket, onBytes: (bytes: Buffer) => void): Socket {
  const inner = accepted as unknown as InnerSocket;
  const handle = inner._handle;
  inner._handle = null;
  const options = {
    handle,
    allowHalfOpen: true,
    readable: true,
    writable: true,
    writableHighWaterMark: accepted.writableHighWaterMark,
    onread: {
      buffer: readBuffer,
      callback: (length: number): boolean => {
        onBytes(readBuffer.subarray(0, length));
        return true;
      },
    },
  };
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  const made = socket as unknown as InnerSocket;
  made.server = inner.server;
  made._server = inner._server;
  return socket;
}
