import { createServer, Socket } from "node:net";
import { type AnswerSink, SocketUpstream, type UpstreamCall } from "./socket-upstream.ts";

// Program: a second baseline, which shows what a proxy in Node costs without node:http and undici. It reads both sides
// into one buffer that all connections share, understands as much of HTTP as the load needs, and copies no header but
// the two that the other baselines copy. JSON responses are sent in one write. Chunks of streams are forwarded with
// their framing.

const maxHeadBytes = 16 * 1024;
const postLine = /^POST (\S+) HTTP\/1\.1\r\n/;
const contentLength = /\r\ncontent-length: *(\d+)\r/i;
const contentType = /\r\ncontent-type: *([^\r]*)/i;
const authorization = /\r\nauthorization: *([^\r]*)/i;
const headEnd = "\r\n\r\n";
const badRequest = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const badGateway = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n";
const sharedBuffer = Buffer.allocUnsafeSlow(64 * 1024);

const [, , ownPort, upstreamPort] = process.argv;
const upstream = new SocketUpstream(Number(upstreamPort), sharedBuffer);

/** One client, with one call at a time. */
class ClientConnection implements AnswerSink {
  readonly #socket: Socket;
  /** Bytes that belong to a request which is not complete, or which waits for the response to the one before. */
  #pending: Buffer | null = null;
  #call: UpstreamCall | null = null;
  #hasBegun = false;

  constructor(handle: object) {
    const callback = (length: number) => this.#read(Buffer.from(sharedBuffer.subarray(0, length)));
    this.#socket = new Socket({ handle, onread: { buffer: sharedBuffer, callback } } as object);
    this.#socket.setNoDelay(true);
    this.#socket.on("error", () => undefined);
    this.#socket.on("drain", () => this.#call?.resume());
    this.#socket.on("end", () => this.#socket.destroy());
    this.#socket.on("close", () => this.#call?.abort());
    this.#socket.resume();
  }

  /** Receives a part of the response. Returns false if the client doesn't keep up. */
  write(bytes: Buffer): boolean {
    this.#hasBegun = true;
    return this.#socket.write(bytes);
  }

  end(): void {
    this.#call = null;
    this.#serveNext();
  }

  fail(): void {
    this.#call = null;
    if (this.#hasBegun) {
      this.#socket.destroy();
      return;
    }
    this.#socket.write(badGateway);
    this.#serveNext();
  }

  #read(bytes: Buffer): boolean {
    this.#pending = this.#pending === null ? bytes : Buffer.concat([this.#pending, bytes]);
    if (this.#call === null) this.#serveNext();
    return true;
  }

  #serveNext(): void {
    if (this.#pending === null || this.#socket.destroyed) return;
    const bytes = this.#pending;
    const headLength = bytes.indexOf(headEnd) + headEnd.length;
    if (headLength < headEnd.length) {
      if (bytes.length > maxHeadBytes) this.#socket.end(badRequest);
      return;
    }
    const head = bytes.toString("latin1", 0, headLength);
    const path = postLine.exec(head)?.[1];
    const bodyLength = contentLength.exec(head)?.[1];
    if (path === undefined || bodyLength === undefined) {
      this.#socket.end(badRequest);
      return;
    }
    const end = headLength + Number(bodyLength);
    if (bytes.length < end) return;
    this.#pending = bytes.length === end ? null : bytes.subarray(end);
    this.#hasBegun = false;
    const lines = [
      `POST ${path} HTTP/1.1`,
      `host: 127.0.0.1:${upstreamPort}`,
      `content-type: ${contentType.exec(head)?.[1] ?? ""}`,
      `authorization: ${authorization.exec(head)?.[1] ?? ""}`,
      `content-length: ${bodyLength}`,
    ];
    this.#call = upstream.call(lines.join("\r\n") + headEnd, bytes.subarray(headLength, end), this);
  }
}

// Sockets that a server accepts have no option for a buffer, so the connection moves to a socket that has it.
const server = createServer({ pauseOnConnect: true }, (accepted) => {
  const owner = accepted as unknown as { _handle: object | null };
  const handle = owner._handle;
  owner._handle = null;
  if (handle !== null) new ClientConnection(handle);
});
server.listen({ port: Number(ownPort), host: "127.0.0.1", backlog: 4096 });
