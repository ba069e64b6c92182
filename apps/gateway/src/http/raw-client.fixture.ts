import { connect, type Socket } from "node:net";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { MASTER_KEY } from "../test-gateway.fixture.ts";

/** One complete response as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A client that sends exactly the given bytes and parses the responses. Bytes are latin1 text. */
export class RawClient {
  readonly socket: Socket;
  /** Final responses, in order of arrival. */
  readonly answers: RawAnswer[] = [];
  /** Informational statuses below 200. */
  readonly interim: number[] = [];
  /** Network errors, including resets. */
  readonly errors: Error[] = [];
  isClosed = false;
  #unread = "";

  static async connect(
    port: number,
    options: { localAddress?: string; allowHalfOpen?: boolean } = {},
  ): Promise<RawClient> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true, ...options });
    const client = new RawClient(socket);
    await waitFor("the connection", () => client.isClosed || socket.readyState === "open");
    return client;
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    // Tests cover servers that close the connection while the client is still writing, so an error here is not a test
    // failure.
    socket.on("error", (error) => this.errors.push(error));
    socket.on("close", () => {
      this.#take("", true);
      this.isClosed = true;
    });
    socket.on("data", (chunk) => this.#take(chunk.toString("latin1"), false));
  }

  send(bytes: string | Uint8Array): void {
    if (typeof bytes === "string") this.socket.write(bytes, "latin1");
    else this.socket.write(bytes);
  }

  /** Resolves when the bytes have left this process, so that later bytes are sent separately. */
  async sendApart(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.socket.write(Buffer.from(bytes as string, "latin1"), () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Waits for the response with this index (0 is the first). */
  answer(index: number): Promise<RawAnswer> {
    return waitFor(`answer ${index}`, () => this.answers[index]);
  }

  async closed(limitMs?: number): Promise<void> {
    await waitFor("the server to close the connection", () => this.isClosed, limitMs === undefined ? {} : { limitMs });
  }

  /** Resets the connection. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Received bytes that are not a complete response. */
  get unread(): string {
    return this.#unread;
  }

  #take(text: string, isEnd: boolean): void {
    this.#unread += text;
    for (;;) {
      const read = readAnswer(this.#unread, isEnd);
      if (read === null) return;
      this.#unread = this.#unread.slice(read.length);
      if (read.answer.status < 200) this.interim.push(read.answer.status);
      else this.answers.push(read.answer);
    }
  }
}

interface ChatRequestOptions {
  readonly callId?: string;
  readonly target?: string;
  readonly key?: string;
  readonly body?: string;
  /** Header lines instead of `content-length: …`. */
  readonly framing?: readonly string[];
  /** Additional header lines. */
  readonly headers?: readonly string[];
}

export const CHAT_BODY = '{"model":"sim/echo","messages":[{"role":"user","content":"hello"}]}';

/** Returns the head of a chat call, including the empty line. */
export function chatHead(options: ChatRequestOptions = {}): string {
  const { callId, target = "/v1/chat/completions", key = MASTER_KEY, body = CHAT_BODY } = options;
  const lines = [
    `POST ${target} HTTP/1.1`,
    "host: gateway.test",
    `x-gw-api-key: ${key}`,
    "content-type: application/json",
    ...(callId === undefined ? [] : [`x-gw-call-id: ${callId}`]),
    ...(options.headers ?? []),
    ...(options.framing ?? [`content-length: ${Buffer.byteLength(body, "latin1")}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Returns a complete chat call as bytes. */
export function chatRequest(options: ChatRequestOptions = {}): string {
  return chatHead(options) + (options.body ?? CHAT_BODY);
}

/** Returns a body in chunks of this size, followed by the closing chunk. */
export function inChunks(body: string, size = body.length): string {
  let text = "";
  for (let at = 0; at < body.length; at += size) {
    const piece = body.slice(at, at + size);
    text += `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}

function readAnswer(text: string, isEnd: boolean): { answer: RawAnswer; length: number } | null {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine}`);
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), readValue(line)]));
  const start = headEnd + 4;
  const body = readBody(text, start, status, headers, isEnd);
  return body === null
    ? null
    : { answer: { status, headers, body: Buffer.from(body.text, "latin1").toString("utf8") }, length: body.end };
}

function readBody(
  text: string,
  start: number,
  status: number,
  headers: ReadonlyMap<string, string>,
  isEnd: boolean,
): { text: string; end: number } | null {
  if (status < 200 || status === 204) return { text: "", end: start };
  if (headers.get("transfer-encoding") === "chunked") return readChunks(text, start);
  const length = headers.get("content-length");
  if (length === undefined) return isEnd ? { text: text.slice(start), end: text.length } : null;
  const end = start + Number(length);
  return text.length < end ? null : { text: text.slice(start, end), end };
}

function readChunks(text: string, start: number): { text: string; end: number } | null {
  if (!text.includes("0\r\n\r\n", start)) return null;
  let body = "";
  let at = start;
  for (;;) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const dataStart = lineEnd + 2;
    if (text.length < dataStart + size + 2) return null;
    body += text.slice(dataStart, dataStart + size);
    at = dataStart + size + 2;
    if (size === 0) return { text: body, end: at };
  }
}

function readValue(line: string): string {
  return line.slice(line.indexOf(":") + 1).trim();
}
