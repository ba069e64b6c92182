import { createServer } from "node:net";

let next = 57_000;
const last = 57_999;

/** Returns a free loopback port, never the same one twice in a run. */
export async function takeFreePort(): Promise<number> {
  while (next <= last) {
    const port = next++;
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port up to ${last}`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
