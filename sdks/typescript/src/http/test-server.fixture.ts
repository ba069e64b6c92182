import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts an HTTP server that sends the given responses in order and repeats the last one. */
export async function startTestServer(...answers: ((response: ServerResponse, request: SeenRequest) => void)[]) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const one = {
      method: request.method as string,
      url: request.url as string,
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    };
    seen.push(one);
    (answers[seen.length - 1] ?? answers.at(-1))?.(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** Returns a handler that responds with this status and JSON. */
export function answer(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Returns a handler that streams these frames one at a time and then ends. */
export function stream(frames: readonly string[], headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    for (const frame of frames) response.write(frame);
    response.end();
  };
}
