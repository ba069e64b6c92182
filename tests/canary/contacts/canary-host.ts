import { createServer } from "node:net";

/** A host nobody has any reason to talk to. */
export interface CanaryHost {
  readonly port: number;
  /** What a request may carry to lead somebody here. */
  readonly lures: readonly string[];
  /** Connections so far. */
  readonly contacts: number;
  close(): Promise<void>;
}

/** Starts listening on a port of its own. Every connection counts, whatever is said on it. */
export async function startCanaryHost(): Promise<CanaryHost> {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    lures: [
      `http://127.0.0.1:${port}/v1`,
      `https://bait.canary.test:${port}/v1`,
      `bait.canary.test:${port}`,
      `http://[::ffff:127.0.0.1]:${port}/a.png`,
    ],
    get contacts() {
      return contacts;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
