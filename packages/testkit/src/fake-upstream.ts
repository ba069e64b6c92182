import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ReceivedRequest } from "./received-request.ts";
import { type Behavior, hang, reply, type StreamOptions, streamFrames } from "./upstream-behaviors.ts";
import { waitFor } from "./wait-for.ts";

/** A scripted third-party inference server on a real socket. */
export interface FakeUpstream {
  readonly origin: string;
  readonly port: number;
  /** Requests whose body was received completely, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Number of connections accepted since the start. */
  readonly connectionCount: number;
  /** Answers each later request with this complete response. */
  replies(status: number, body?: unknown, headers?: Record<string, string>): void;
  /** Answers each later request with a stream of these frames. */
  streams(frames: readonly (string | Uint8Array)[], options?: StreamOptions): void;
  /** Accepts later requests and never responds. */
  hangs(): void;
  /** Applies one behavior per later request, in this order. The last behavior repeats. */
  behaves(...behaviors: [Behavior, ...Behavior[]]): void;
  /** Resolves with the request at this index (0 is the first) once it is received. */
  request(index: number): Promise<ReceivedRequest>;
  /** Resolves with the request at this index once its exchange has ended. */
  ended(index: number): Promise<ReceivedRequest>;
  /** Closes every open connection, as a crash would. */
  breakConnections(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an upstream on a free port. Until the test scripts a response, the upstream responds with 500, so that a test
 * without a script fails.
 */
export async function startFakeUpstream(port = 0): Promise<FakeUpstream> {
  const requests: Mutable<ReceivedRequest>[] = [];
  const connections = new Map<Socket, number>();
  let connectionCount = 0;
  let script: Behavior[] = [reply(500, { error: { message: "This upstream has no script." } })];

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void handle(request, response);
  });
  // Ignore client errors, because some tests disconnect in the middle of a request.
  server.on("clientError", (_error, socket) => socket.destroy());
  server.on("connection", (socket) => {
    connections.set(socket, connectionCount);
    connectionCount += 1;
    socket.once("close", () => connections.delete(socket));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAtMs = performance.now();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The client disconnected before the request was complete, so there is nothing to record.
    }
    const body = Buffer.concat(chunks);
    const received: Mutable<ReceivedRequest> = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body,
      connection: connections.get(request.socket) ?? -1,
      receivedAtMs,
      bodyReadAtMs: performance.now(),
      end: null,
      json: () => JSON.parse(body.toString("utf8")),
    };
    requests.push(received);
    const behavior = (script.length > 1 ? script.shift() : script[0]) ?? hang();
    await runBehavior(behavior, received, request.socket, response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the fake upstream has no port");

  const upstream: FakeUpstream = {
    origin: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    get connectionCount() {
      return connectionCount;
    },
    replies: (status, body, headers) => upstream.behaves(reply(status, body, headers)),
    streams: (frames, options) => upstream.behaves(streamFrames(frames, options)),
    hangs: () => upstream.behaves(hang()),
    behaves: (...behaviors) => {
      script = behaviors;
    },
    request: (index) => waitFor(`request ${index} at the upstream`, () => requests[index]),
    ended: (index) =>
      waitFor(`the end of request ${index} at the upstream`, () => (requests[index]?.end ? requests[index] : null)),
    breakConnections: () => {
      for (const socket of connections.keys()) socket.resetAndDestroy();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
    [Symbol.asyncDispose]: () => upstream.close(),
  };
  return upstream;
}

async function runBehavior(
  behavior: Behavior,
  received: Mutable<ReceivedRequest>,
  socket: Socket,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  const finish = (kind: "answered" | "aborted" | "cut") => {
    received.end ??= { kind, atMs: performance.now() };
    gone.abort();
  };
  response.once("finish", () => finish("answered"));
  response.once("close", () => finish("aborted"));
  try {
    await behavior({
      request: received,
      response,
      socket,
      gone: gone.signal,
      cut: () => {
        finish("cut");
        socket.destroy();
      },
    });
  } catch (error) {
    // When the client disconnects, the signal ends pauses between frames. Any other error is a bug in the script.
    if (!gone.signal.aborted) throw error;
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
