import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A database proxy that can simulate outages. */
interface PostgresProxy {
  /** Connection string that goes through the proxy. */
  readonly connectionString: string;
  /** Breaks all connections and refuses new ones, like a server that is down. */
  cut(): void;
  /** Forwards no data and doesn't close connections, like a network that drops packets. */
  hang(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Opens a proxy to the database. */
export async function openPostgresProxy(connectionString: string): Promise<PostgresProxy> {
  const database = new URL(connectionString);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: "passing" | "cut" | "hanging" = "passing";
  const server = createServer((client) => {
    client.on("error", () => {});
    if (state === "cut") return client.destroy();
    const upstream = connect(Number(database.port), database.hostname);
    upstream.on("error", () => {});
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    client.once("close", end);
    upstream.once("close", end);
    client.on("data", (bytes) => state === "passing" && upstream.write(bytes));
    upstream.on("data", (bytes) => state === "passing" && client.write(bytes));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = new URL(connectionString);
  own.port = String((server.address() as AddressInfo).port);
  const breakAll = () => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    connectionString: own.href,
    cut: () => {
      state = "cut";
      breakAll();
    },
    hang: () => {
      state = "hanging";
    },
    restore: () => {
      // Bytes dropped while hanging are lost, so the affected connections are unusable.
      if (state === "hanging") breakAll();
      state = "passing";
    },
    close: () => {
      breakAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
