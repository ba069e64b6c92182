import { createServer } from "node:net";

/**
 * Ports below those that Linux gives to outgoing connections. A connection of another program could otherwise take the
 * port before the program under test listens on it.
 */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const MAX_TRIES = 50;

/** Returns a loopback port that was free a moment ago. If the program under test supports port 0, use that instead. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${MAX_TRIES} tries`);
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  return promise;
}
