import type { AddressInfo, Server } from "node:net";

/** Where to listen: an address, or a socket that the supervisor has opened. */
export type ListenTarget = { readonly host: string; readonly port: number } | { readonly fd: number };

/**
 * Connections that the system keeps while no process accepts them. Beyond that it drops them: their clients wait for
 * retransmissions and then see a reset or a time-out.
 */
export const BACKLOG = 4_096;

/** Begins to listen and resolves with the port. */
export async function listenOn(server: Server, target: ListenTarget): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Node takes the backlog of a socket that is open already from this argument only, and would reduce it to 511.
    server.listen(target, BACKLOG, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
