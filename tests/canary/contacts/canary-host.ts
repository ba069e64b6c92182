import { createServer } from "node:net";

/** A host that no program has a reason to contact. */
export interface CanaryHost {
  readonly port: number;
  /** Values that a request can contain to make a program contact this host. */
  readonly lures: readonly string[];
  /** Number of connections so far. */
  readonly contacts: number;
  close(): Promise<void>;
}

/** Listens on its own port and counts every connection, regardless of protocol. */
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
