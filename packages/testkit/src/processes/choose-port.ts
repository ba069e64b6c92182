import { createServer } from "node:net";

// These ports are below the kernel's ephemeral port range, so that an engine's port stays free while the engine is
// stopped.
const FIRST = 21_000;
const LAST = 30_000;
const taken = new Set<number>();

/** Returns a free loopback port, never the same one twice in a run. */
export async function choosePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (taken.has(port)) continue;
    taken.add(port);
    if (await canListen(port)) return port;
  }
  throw new Error("no free port");
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
