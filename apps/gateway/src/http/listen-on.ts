import type { AddressInfo, Server } from "node:net";

/** The listen target: an address, or a socket opened by the supervisor. */
export type ListenTarget = { readonly host: string; readonly port: number } | { readonly fd: number };

/**
 * Maximum number of connections that the kernel queues until a process accepts them. The kernel drops further
 * connections. Their clients wait for retransmissions and then get a reset or a timeout.
 */
export const BACKLOG = 4_096;

/** Starts listening and resolves with the port. */
export async function listenOn(server: Server, target: ListenTarget): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // For a socket that is already open, Node takes the backlog only from this argument. Without it, Node would reduce
    // the backlog to 511.
    server.listen(target, BACKLOG, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
