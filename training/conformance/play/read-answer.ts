import type { Socket } from "node:net";

/** A response as received on the socket. */
export interface Answer {
  readonly status: number;
  /** Headers by lowercase name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** Reads one response without an HTTP library, to check the actual bytes on the wire. */
export async function readAnswer(socket: Socket, method: string): Promise<Answer> {
  const reader = new SocketReader(socket);
  for (;;) {
    const head = await reader.readThrough(END_OF_HEAD);
    const [statusLine = "", ...lines] = head.toString("latin1").trimEnd().split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine}`);
    // Skip interim responses such as 100.
    if (status < 200) continue;
    const headers = new Map(lines.map(splitHeader));
    const hasBody = method !== "HEAD" && status !== 204 && status !== 304;
    return { status, headers, body: hasBody ? await readBody(reader, headers) : Buffer.alloc(0) };
  }
}

async function readBody(reader: SocketReader, headers: ReadonlyMap<string, string>): Promise<Buffer> {
  if (headers.get("transfer-encoding") === "chunked") return readChunks(reader);
  const length = headers.get("content-length");
  return length === undefined ? reader.readToEnd() : reader.readExactly(Number(length));
}

async function readChunks(reader: SocketReader): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const length = Number.parseInt((await reader.readThrough(Buffer.from("\r\n"))).toString("latin1"), 16);
    chunks.push(await reader.readExactly(length));
    await reader.readThrough(Buffer.from("\r\n"));
    if (length === 0) return Buffer.concat(chunks);
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Reads the requested number of bytes from a socket. */
class SocketReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #pending = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#pieces = socket.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  }

  async readThrough(mark: Buffer): Promise<Buffer> {
    for (;;) {
      const at = this.#pending.indexOf(mark);
      if (at >= 0) return this.#take(at + mark.length);
      await this.#more();
    }
  }

  async readExactly(length: number): Promise<Buffer> {
    while (this.#pending.length < length) await this.#more();
    return this.#take(length);
  }

  async readToEnd(): Promise<Buffer> {
    for (;;) {
      const { done, value } = await this.#pieces.next();
      if (done === true) return this.#take(this.#pending.length);
      this.#pending = Buffer.concat([this.#pending, value]);
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done === true)
      throw new Error(`the connection ended after ${JSON.stringify(this.#pending.toString("latin1"))}`);
    this.#pending = Buffer.concat([this.#pending, value]);
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return taken;
  }
}
