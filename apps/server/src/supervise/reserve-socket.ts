import { execFileSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import * as net from "node:net";
import { getSystemErrorName } from "node:util";
import { BACKLOG } from "@tollgate/gateway/http/listen-on.ts";

export interface ReservedSocket {
  readonly fd: number;
  readonly port: number;
}

/** A socket as Node's cluster module holds it for its workers. */
interface BoundHandle {
  readonly fd: number;
  getsockname(out: { port?: number }): number;
}

/** Part of `net` that Node's types don't declare. Returns a bound socket, or an error number. */
type CreateServerHandle = (address: string, port: number, addressType: 4 | 6, fd: -1) => BoundHandle | number;

/** Calls `listen` on the inherited socket and exits before its event loop could accept a connection. */
const LISTEN = `
  const server = require("node:net").createServer().on("error", () => {});
  server.listen({ fd: 3 }, ${BACKLOG});
  process.exit(server.listening ? 0 : 1);
`;

/**
 * Opens the listening socket and holds it for the lifetime of this process, without ever accepting on it. While all
 * children are down, the kernel queues connections, whereas a socket owned by the children would refuse them. A Node
 * event loop accepts connections on every socket on which it has called `listen`, so this process only binds the
 * socket, and a process that exits immediately calls `listen` for all that share the socket.
 */
export async function reserveSocket(host: string, port: number): Promise<ReservedSocket> {
  const { address, family } = await lookup(host);
  const { _createServerHandle: createServerHandle } = net as unknown as { _createServerHandle: CreateServerHandle };
  const handle = createServerHandle(address, port, family === 6 ? 6 : 4, -1);
  if (typeof handle === "number") throw socketError(getSystemErrorName(handle), address, port);
  const bound: { port?: number } = {};
  // If the port is in use, Node reports it only now.
  const errorNumber = handle.getsockname(bound);
  if (errorNumber !== 0) throw socketError(getSystemErrorName(errorNumber), address, port);
  try {
    execFileSync(process.execPath, ["-e", LISTEN], { stdio: ["ignore", "ignore", "inherit", handle.fd], env: {} });
  } catch {
    // Another program has bound the same port and was the first to listen.
    throw socketError("EADDRINUSE", address, port);
  }
  return { fd: handle.fd, port: bound.port ?? port };
}

function socketError(code: string, address: string, port: number): Error {
  return Object.assign(new Error(`listen ${code}: ${address}:${port}`), { code });
}
