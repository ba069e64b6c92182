import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { findJsonProblem, findStreamProblem } from "../wire/find-answer-problem.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { Target } from "./commands.ts";

/** Each read is consumed before the next one, so all connections share one buffer. */
const sharedBuffer = Buffer.allocUnsafeSlow(256 * 1024);
/** One in this many responses is collected and verified. */
const sampleEvery = 64;

let sent = 0;

/** A keep-alive connection that runs one call at a time. */
export class LoadConnection {
  /** Due time of the call in flight, for latency measurements. */
  dueAtMs = 0;
  bytesSeen = 0;
  isClosed = false;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  readonly #target: Target;
  readonly #request: Buffer;
  readonly #onEnd: (connection: LoadConnection, problem: string | null) => void;
  #isBusy = false;

  /** `onEnd` is called once per call, with null on success or else the problem. */
  constructor(target: Target, request: Buffer, onEnd: (connection: LoadConnection, problem: string | null) => void) {
    this.#target = target;
    this.#request = request;
    this.#onEnd = onEnd;
    this.#socket = target.isTls ? this.#connectTls() : this.#connect();
    // Ignored, because the close event follows and reports the reason.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#close());
  }

  #connect(): Socket {
    const { host, port } = this.#target;
    const callback = (length: number, buffer: Uint8Array) => this.#read(length, buffer as Buffer);
    return connect({ host, port, noDelay: true, onread: { buffer: sharedBuffer, callback } });
  }

  /** Connects without verifying certificates, because verification is not part of the measurement. */
  #connectTls(): Socket {
    const { host, port } = this.#target;
    const socket = connectTls({ host, port, rejectUnauthorized: false });
    socket.setNoDelay(true);
    return socket.on("data", (chunk: Buffer) => this.#read(chunk.length, chunk));
  }

  whenConnected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once(this.#target.isTls ? "secureConnect" : "connect", resolve);
      this.#socket.once("error", reject);
    });
  }

  send(): void {
    this.#isBusy = true;
    this.#reader.begin(sent++ % sampleEvery === 0 && !this.#target.isHeld);
    this.#socket.write(this.#request);
  }

  close(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }

  #read(length: number, buffer: Buffer): boolean {
    this.bytesSeen += length;
    if (!this.#isBusy) {
      // The server sent more bytes than the response should have, so the connection cannot be reused.
      this.close();
    } else if (this.#reader.read(buffer, length)) {
      this.#isBusy = false;
      if (this.#reader.endsConnection) this.close();
      this.#onEnd(this, this.#findProblem());
    }
    return true;
  }

  #findProblem(): string | null {
    const { isStreamed, isLong, model } = this.#target;
    const body = this.#reader.takeBody();
    if (this.#reader.status !== 200) return `status ${this.#reader.status}: ${body}`;
    if (isStreamed && !this.#reader.endedWithDone()) return "a stream ended without [DONE]";
    if (body === null) return null;
    return isStreamed ? findStreamProblem(body, model) : findJsonProblem(body, model, isLong);
  }

  #close(): void {
    this.isClosed = true;
    if (!this.#isBusy) return;
    this.#isBusy = false;
    this.#onEnd(this, "the connection was closed in the middle of a call");
  }
}
