import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ExchangeResponse } from "../call/exchange.ts";

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

  sendWhole(lines: string, body: string, statusLine = STATUS_LINE): void {
    this.#finish(`${this.#headOf(`${statusLine}${lines}content-length: ${body.length}\r\n`)}${body}`);
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
