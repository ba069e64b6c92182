import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { RecordedRequest } from "../recorded-case.ts";
import { buildBody } from "./build-body.ts";
import { type Answer, readAnswer } from "./read-answer.ts";

const LIMIT_MS = 60_000;

/** A request on its own connection, and its pending response. */
export class Exchange {
  readonly answer: Promise<Answer>;
  readonly #socket: Socket;

  constructor(port: number, request: RecordedRequest) {
    this.#socket = connect(port, "127.0.0.1");
    // Ignore the error, because reading the response reports it.
    this.#socket.on("error", () => {});
    this.answer = this.#run(request);
    this.answer.catch(() => {});
  }

  /** Resets the connection, as a crashing client would. */
  leave(): void {
    this.#socket.resetAndDestroy();
  }

  async #run(request: RecordedRequest): Promise<Answer> {
    this.#socket.setTimeout(LIMIT_MS, () => this.#socket.destroy(new Error(`no answer within ${LIMIT_MS} ms`)));
    await once(this.#socket, "connect");
    const sent = this.#send(request);
    try {
      // Read while writing, because a response may arrive before the request has been fully sent.
      return await readAnswer(this.#socket, request.method ?? "GET");
    } finally {
      this.#socket.destroy();
      await sent;
    }
  }

  async #send(request: RecordedRequest): Promise<void> {
    if (request.raw !== undefined) return this.#write(buildBody(request.raw));
    const body = request.body === undefined ? null : buildBody(request.body);
    await this.#write(Buffer.from(writeHead(request, body), "latin1"));
    if (body === null) return;
    const sent = body.subarray(0, request.stopAfter ?? body.length);
    const size = request.pieces ?? Math.max(sent.length, 1);
    for (let start = 0; start < sent.length; start += size) {
      const piece = sent.subarray(start, start + size);
      await this.#write(request.chunked === true ? wrapChunk(piece) : piece);
    }
    if (request.chunked === true && sent.length === body.length) await this.#write(Buffer.from("0\r\n\r\n"));
  }

  /** Resolves when the bytes have been written, or when they can no longer be written. */
  async #write(bytes: Buffer): Promise<void> {
    if (this.#socket.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#socket.once("close", resolve);
      this.#socket.write(bytes, () => {
        this.#socket.off("close", resolve);
        resolve();
      });
    });
  }
}

function writeHead(
  { method = "GET", path = "/", headers = {}, chunked }: RecordedRequest,
  body: Buffer | null,
): string {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const lines = [`${method} ${path} HTTP/1.1`];
  if (!names.includes("host")) lines.push("host: 127.0.0.1");
  if (chunked === true) lines.push("transfer-encoding: chunked");
  else if (body !== null && !names.includes("content-length")) lines.push(`content-length: ${body.length}`);
  lines.push("connection: close");
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function wrapChunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
}
