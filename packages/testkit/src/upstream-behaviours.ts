import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ReceivedRequest } from "./fake-upstream.ts";

/** One exchange as a behaviour sees it. */
export interface UpstreamExchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  /** For bytes that are not HTTP. */
  readonly socket: Socket;
  /** Aborted when the exchange is over, by whichever side. */
  readonly gone: AbortSignal;
  /** Breaks the connection now. */
  cut(): void;
}

/** What an upstream does with one request. */
export type Behavior = (exchange: UpstreamExchange) => void | Promise<void>;

export interface StreamOptions {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Between one frame and the next. */
  readonly delayMs?: number;
  /** Before the headers, which otherwise leave at once. */
  readonly headersDelayMs?: number;
  /** Awaited before each frame (0 is the first), so that a test can hold the stream where it wants. */
  readonly beforeFrame?: (index: number) => unknown;
  /** Breaks the connection after so many frames. */
  readonly cutAfterFrames?: number;
  /** Goes silent after so many frames, with the connection open. */
  readonly hangAfterFrames?: number;
}

const JSON_HEADERS = { "content-type": "application/json" };
const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Answers whole. A value that is neither text nor bytes is sent as JSON. */
export function reply(status: number, body: unknown = "", headers: Record<string, string> = {}): Behavior {
  const bytes = toBytes(body);
  return ({ response }) => {
    response.writeHead(status, { ...JSON_HEADERS, "content-length": `${bytes.length}`, ...headers }).end(bytes);
  };
}

/** Answers whole, but only after a while. */
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

/** Sends each frame in a write of its own. */
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

/** Never answers; the connection stays open until the caller leaves. */
export function hang(): Behavior {
  return () => {};
}

/** Breaks the connection instead of answering. */
export function cutBeforeHeaders(): Behavior {
  return ({ cut }) => cut();
}

/** Promises the whole body, sends its first bytes and breaks the connection. */
export function cutAfterBytes(byteCount: number, body: unknown, headers: Record<string, string> = {}): Behavior {
  const bytes = toBytes(body);
  return ({ response, cut }) => {
    response.writeHead(200, { ...JSON_HEADERS, "content-length": `${bytes.length}`, ...headers });
    response.write(bytes.subarray(0, byteCount));
    flushThen(response, cut);
  };
}

/** Sends a body a few bytes at a time, across every boundary a reader might rely on. */
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

/** Declares another length than it sends: a longer one leaves the caller waiting, a shorter one spills into the next answer. */
export function replyWithWrongLength(body: unknown, declaredLength: number): Behavior {
  const bytes = toBytes(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${declaredLength}\r\n\r\n`;
  return replyRaw(Buffer.concat([Buffer.from(head), bytes]));
}

/** A proper answer with bytes behind it that nobody asked for, such as a second answer that would reach the next caller. */
export function replyThenUnsolicited(body: unknown, extra: string | Uint8Array): Behavior {
  const bytes = toBytes(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return replyRaw(Buffer.concat([Buffer.from(head), bytes, Buffer.from(extra)]));
}

/** Writes exactly these bytes, HTTP or not, and goes on with the next request unless told to close the connection. */
export function replyRaw(bytes: string | Uint8Array, options: { thenClose?: boolean } = {}): Behavior {
  return ({ socket, response }) => {
    if (options.thenClose) response.setHeader("connection", "close");
    // Node answers the next request of a connection only when this one was answered, so its answer is made and swapped.
    const write = socket.write;
    socket.write = (_answer: unknown, ...rest: unknown[]) => {
      socket.write = write;
      return Reflect.apply(write, socket, [bytes, rest.find((argument) => typeof argument === "function")]);
    };
    response.end();
  };
}

// The caller shall have what was sent before the break, or a test of half an answer would sometimes see none of it.
function flushThen(response: ServerResponse, cut: () => void): void {
  response.write("", () => setImmediate(cut));
}

function toBytes(body: unknown): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(JSON.stringify(body));
}
