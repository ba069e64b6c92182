import { connect, createServer, type Socket } from "node:net";
import { undoAtExit } from "@tollgate/testkit/processes/clean-up.ts";

export interface PostgresProxy {
  readonly port: number;
  /** Number of connections that were cut just before a response would have arrived. */
  readonly cuts: number;
  stop(): void;
}

/** "Ready for query, no transaction open": all statements so far are committed. */
const COMMITTED = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/**
 * Proxies PostgreSQL connections. With the given probability, drops the connection and the response after the commit of
 * a statement that names one of these functions.
 */
export async function startPostgresProxy(
  port: number,
  target: number,
  functions: readonly string[],
  chance: () => boolean,
): Promise<PostgresProxy> {
  const count = { cuts: 0 };
  const names = functions.map((name) => Buffer.from(name));
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ port: target, host: "127.0.0.1", noDelay: true });
    let isAsked = false;
    const end = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (data: Buffer) => {
      isAsked ||= names.some((name) => data.includes(name));
      database.write(data);
    });
    database.on("data", (data: Buffer) => {
      const isCommitted = isAsked && data.includes(COMMITTED);
      if (isCommitted) isAsked = false;
      if (isCommitted && chance()) {
        count.cuts += 1;
        return end();
      }
      client.write(data);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  undoAtExit(stop);
  return {
    port,
    get cuts() {
      return count.cuts;
    },
    stop,
  };
}
