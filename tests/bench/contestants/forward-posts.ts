import { createServer, type ServerResponse } from "node:http";
import { type Dispatcher, Pool } from "undici";

/** Shared by both baseline programs: buffers a request body, forwards it, and lets a handler relay the response. */
export function forwardPosts(handle: (response: ServerResponse) => Dispatcher.DispatchHandler): void {
  const [, , ownPort, upstreamPort] = process.argv;
  const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { pipelining: 1, keepAliveTimeout: 60_000 });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (data: Buffer) => parts.push(data));
    request.on("end", () => {
      const headers = {
        "content-type": request.headers["content-type"] ?? "",
        authorization: request.headers.authorization ?? "",
      };
      const body = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      pool.dispatch({ path: request.url ?? "/", method: "POST", headers, body }, handle(response));
    });
  });
  server.listen({ port: Number(ownPort), host: "127.0.0.1", backlog: 4096 });
}

/**
 * Aborts the upstream call when its client disconnects. Otherwise, a paused upstream would wait forever for a drain and
 * hold its connection, which would slow down the baseline and make all ratios look too good.
 */
export function endWithClient(response: ServerResponse, controller: Dispatcher.DispatchController): void {
  response.once("close", () => {
    if (!response.writableFinished) controller.abort(new Error("client gone"));
  });
}
