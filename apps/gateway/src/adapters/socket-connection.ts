import type { Socket } from "node:net";
import { BodyPieces } from "../call/body-pieces.ts";
import { MalformedResponse, type UpstreamHeaders } from "../call/provider.ts";
import { ResponseParser } from "./response-parser.ts";
import { type ConnectionParts, IDLE_MS, type UpstreamConnection, type UpstreamLease } from "./upstream-lease.ts";

/** An upstream that announces when it closes an idle connection isn't called in the last second before. */
const IDLE_MARGIN_MS = 1_000;
/** Requests up to this size, with their head, are sent in one write, which is cheaper than two, even with the copy. */
const MAX_COPIED_BYTES = 32 * 1024;

const CLOSED = "the upstream closed the connection";

/** The connection was closed before the response was complete. */
class ConnectionLost extends Error {
  readonly code = "ECONNRESET";
}

/** All connections read into this buffer, because its bytes are used up before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** Small requests are put together here before they are written. Replaced if a socket has to read it later. */
let writeBuffer = Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);

/** Sockets of connections, as read by the callback below. */
const connections = new WeakMap<object, SocketConnection>();

/**
 * Options for `connect` with which a socket passes bytes on without a stream in between, which costs twice the CPU time.
 * They have no effect on a socket inside a tunnel.
 */
export const readOptions = {
  onread: {
    buffer: readBuffer,
    callback(this: object, length: number, buffer: Uint8Array): boolean {
      connections.get(this)?.take(buffer.length === length ? readBuffer : readBuffer.subarray(0, length));
      return true;
    },
  },
};

/** A connection whose HTTP is written and parsed here. */
export class SocketConnection implements UpstreamConnection {
  readonly #parts: ConnectionParts;
  readonly #parser = new ResponseParser(this);
  #socket: Socket | null = null;
  #lease: UpstreamLease | null = null;
  #error: Error | null = null;
  #hadBytes = false;
  #isPaused = false;
  /** False once the socket could not write a request at once. */
  #writesAtOnce = true;
  wasUsed = false;
  isLost = false;
  restsSinceMs = 0;
  idleMs = IDLE_MS;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { hostname, host, protocol, port } = parts.url;
    const address = hostname.replace(/^\[|\]$/g, "");
    parts.connector({ hostname: address, host, protocol, port }, (error, socket) => {
      if (error !== null) return this.#lose(error);
      if (this.isLost) return void socket.destroy();
      this.#open(socket);
    });
  }

  send(lease: UpstreamLease): void {
    this.#lease = lease;
    if (this.#socket !== null) this.#write(this.#socket, lease);
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket?.resume();
  }

  destroy(): void {
    this.isLost = true;
    this.#lease = null;
    this.#socket?.destroy();
  }

  /** Takes the bytes of one read. */
  take(bytes: Buffer): void {
    if (this.isLost) return;
    this.#hadBytes = true;
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#lease?.onHead(status, headers);
  }

  onBody(bytes: Buffer): void {
    this.#lease?.onBody(bytes);
  }

  onComplete(rest: number): void {
    const lease = this.#lease;
    this.#lease = null;
    this.wasUsed = true;
    if (rest > 0) this.#parts.onUnexpectedData();
    const { keepsAlive, idleMs } = this.#parser;
    this.idleMs = idleMs === null ? IDLE_MS : Math.min(IDLE_MS, idleMs - IDLE_MARGIN_MS);
    // The upstream may not read the rest of a request that it has answered early, and would take it for the next one.
    const isSent = this.#socket?.writableLength === 0;
    if (rest > 0 || !keepsAlive || !isSent || this.idleMs <= 0) this.destroy();
    else if (this.#isPaused) this.resume();
    lease?.onComplete();
  }

  #open(socket: Socket): void {
    this.#socket = socket;
    connections.set(socket, this);
    // Only a socket inside a tunnel emits data. For the others, the listener only starts the reading.
    socket.on("data", (bytes: Buffer) => this.take(bytes));
    socket.on("end", () => this.#end());
    socket.on("error", (error) => {
      this.#error = error;
    });
    socket.on("close", () => this.#lose(this.#error ?? new ConnectionLost(CLOSED)));
    if (this.#lease !== null) this.#write(socket, this.#lease);
  }

  #write(socket: Socket, lease: UpstreamLease): void {
    const { body } = lease.request;
    if (typeof body === "function") throw new Error("a body that is a stream is sent by the HTTP library");
    const head = `${lease.head}${body.length}\r\n\r\n`;
    this.#hadBytes = false;
    this.#parser.begin();
    lease.onSent();
    if (body instanceof BodyPieces) {
      socket.cork();
      socket.write(head, "latin1");
      for (const piece of body.pieces) socket.write(piece);
      socket.uncork();
    } else if (head.length + body.length <= MAX_COPIED_BYTES) {
      this.#writeTogether(socket, head, body);
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
  }

  /**
   * Writes a head and a body at once. Nearly always, the kernel takes all bytes immediately, and the shared buffer is
   * free again. Memory of its own for each request would also keep the memory of the requests next to it, for as long
   * as they stream.
   */
  #writeTogether(socket: Socket, head: string, body: Buffer): void {
    const length = head.length + body.length;
    const bytes = this.#writesAtOnce ? writeBuffer.subarray(0, length) : Buffer.allocUnsafe(length);
    bytes.write(head, 0, "latin1");
    body.copy(bytes, head.length);
    socket.write(bytes);
    if (!this.#writesAtOnce || socket.writableLength === 0) return;
    // The socket still reads the buffer. TLS always writes later.
    this.#writesAtOnce = false;
    writeBuffer = Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);
  }

  /** The upstream sends no more bytes. It may still not read the request, and then the socket would stay open. */
  #end(): void {
    try {
      if (this.#lease === null || !this.#parser.end()) this.#lose(new ConnectionLost(CLOSED));
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Handles an invalid response, or an error of the code that reads it. */
  #fail(error: Error): void {
    if (error instanceof MalformedResponse) this.#parts.onUnexpectedData();
    this.#lose(error);
  }

  #lose(error: Error): void {
    if (this.isLost) return;
    const lease = this.#lease;
    const hadBytes = this.#hadBytes;
    this.destroy();
    lease?.onLost(error, hadBytes);
  }
}
