import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ReceivedRequest } from "./received-request.ts";

/** One exchange as seen by a behavior. */
interface UpstreamExchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  /** Socket for writing bytes that are not HTTP. */
  readonly socket: Socket;
  /** Aborted when either side has ended the exchange. */
  readonly gone: AbortSignal;
  /** Closes the connection immediately. */
  cut(): void;
}

/** An upstream's behavior for one request. */
export type Behavior = (exchange: UpstreamExchange) => void | Promise<void>;

export interface StreamOptions {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Delay between two frames. */
  readonly delayMs?: number;
  /** Delay before the headers, which are otherwise sent immediately. */
  readonly headersDelayMs?: number;
  /** Awaited before each frame (0 is the first), so that a test can pause the stream at any point. */
  readonly beforeFrame?: (index: number) => unknown;
  /** Closes the connection after this many frames. */
  readonly cutAfterFrames?: number;
  /** Stops sending after this many frames and leaves the connection open. */
  readonly hangAfterFrames?: number;
}

const JSON_HEADERS = { "content-type": "application/json" };
const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Sends a complete response. A body that is neither a string nor bytes is sent as JSON. */
export function reply(status: number, body: unknown = "", headers: Record<string, string> = {}): Behavior {
  const bytes = toBytes(body);
  return ({ response }) => {
    response.writeHead(status, { ...JSON_HEADERS, "content-length": `${bytes.length}`, ...headers }).end(bytes);
  };
}

/** Sends a complete response after a delay. */
export function replyLate(
  delayMs: number,
  status: number,
  body: unknown = "",
  headers: Record<string, string> = {},
): Behavior {
  return async (exchange) => {
    await pause(delayMs, undefined, { signal: exchange.gone });
    await reply(status, body, headers)(exchange);
  };
}

/** Sends each frame in its own write. */
export function streamFrames(frames: readonly (string | Uint8Array)[], options: StreamOptions = {}): Behavior {
  return async ({ response, gone, cut }) => {
    if (options.headersDelayMs) await pause(options.headersDelayMs, undefined, { signal: gone });
    response.writeHead(options.status ?? 200, { ...STREAM_HEADERS, ...options.headers });
    response.flushHeaders();
    for (const [index, frame] of frames.entries()) {
      if (index === options.cutAfterFrames) return flushThen(response, cut);
      if (index === options.hangAfterFrames) return;
      if (index > 0 && options.delayMs) await pause(options.delayMs, undefined, { signal: gone });
      await options.beforeFrame?.(index);
      if (gone.aborted) return;
      response.write(frame);
    }
    if (options.cutAfterFrames === frames.length) return flushThen(response, cut);
    if (options.hangAfterFrames === frames.length) return;
    response.end();
  };
}

/** Never responds. The connection stays open until the client disconnects. */
export function hang(): Behavior {
  return () => {};
}

/** Closes the connection without a response. */
export function cutBeforeHeaders(): Behavior {
  return ({ cut }) => cut();
}

/** Declares the full length, sends only the first bytes, and closes the connection. */
export function cutAfterBytes(byteCount: number, body: unknown, headers: Record<string, string> = {}): Behavior {
  const bytes = toBytes(body);
  return ({ response, cut }) => {
    response.writeHead(200, { ...JSON_HEADERS, "content-length": `${bytes.length}`, ...headers });
    response.write(bytes.subarray(0, byteCount));
    flushThen(response, cut);
  };
}

/** Sends a body a few bytes at a time, so that the body is split at every boundary that a reader might rely on. */
export function trickle(
  body: unknown,
  options: { bytesPerWrite: number; delayMs: number; headers?: Record<string, string> },
): Behavior {
  const bytes = toBytes(body);
  return async ({ response, gone }) => {
    response.writeHead(200, { ...JSON_HEADERS, ...options.headers });
    for (let offset = 0; offset < bytes.length; offset += options.bytesPerWrite) {
      if (offset > 0) await pause(options.delayMs, undefined, { signal: gone });
      response.write(bytes.subarray(offset, offset + options.bytesPerWrite));
    }
    response.end();
  };
}

/**
 * Declares a different length than it sends. If the declared length is larger, the client waits for more bytes. If it
 * is smaller, the extra bytes run into the next response.
 */
export function replyWithWrongLength(body: unknown, declaredLength: number): Behavior {
  const bytes = toBytes(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${declaredLength}\r\n\r\n`;
  return replyRaw(Buffer.concat([Buffer.from(head), bytes]));
}

/** Sends a correct response followed by extra bytes, such as a second response that could reach the next caller. */
export function replyThenUnexpected(body: unknown, extra: string | Uint8Array): Behavior {
  const bytes = toBytes(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return replyRaw(Buffer.concat([Buffer.from(head), bytes, Buffer.from(extra)]));
}

/**
 * Writes exactly these bytes, even if they aren't HTTP. Then handles the next request or, with `thenClose`, closes the
 * connection.
 */
export function replyRaw(bytes: string | Uint8Array, options: { thenClose?: boolean } = {}): Behavior {
  return ({ socket, response }) => {
    if (options.thenClose) response.setHeader("connection", "close");
    // Node handles a connection's next request only after the response to this request, so send a response and replace
    // its bytes.
    const write = socket.write;
    socket.write = (_answer: unknown, ...rest: unknown[]) => {
      socket.write = write;
      return Reflect.apply(write, socket, [bytes, rest.find((argument) => typeof argument === "function")]);
    };
    response.end();
  };
}

// Flushes the written bytes before the connection is closed. Otherwise, tests of partial responses would be flaky.
function flushThen(response: ServerResponse, cut: () => void): void {
  response.write("", () => setImmediate(cut));
}

function toBytes(body: unknown): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(JSON.stringify(body));
}
