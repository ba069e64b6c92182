import type { ClientRequest } from "node:http";

/** Writes a body with backpressure and stops as soon as a response makes the rest unnecessary. */
export async function sendBody(request: ClientRequest, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let isAnswered = false;
  request.once("response", () => {
    isAnswered = true;
  });
  for await (const chunk of chunks) {
    if (isAnswered || request.destroyed) return;
    if (!request.write(chunk)) await drained(request);
  }
  if (!request.destroyed) request.end();
}

function drained(request: ClientRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    for (const event of EVENTS) request.off(event, done);
    resolve();
  };
  for (const event of EVENTS) request.once(event, done);
  if (request.destroyed || !request.writableNeedDrain) done();
  return promise;
}

const EVENTS = ["drain", "close", "response"];
