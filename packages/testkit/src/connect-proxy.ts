import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A corporate-style HTTP proxy: CONNECT tunnels, and absolute URLs for plain HTTP. */
interface ConnectProxy {
  readonly url: string;
  /** Received requests, such as `CONNECT models.test:443`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

interface ConnectProxyOptions {
  /** Local port to which all host names are forwarded. */
  readonly port: number;
  /** Required `Proxy-Authorization` header; null if none is required. */
  readonly authorization?: string | null;
}

export async function startConnectProxy({ port, authorization = null }: ConnectProxyOptions): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (authorization !== null && request.headers["proxy-authorization"] !== authorization) {
      response.writeHead(407).end();
      return;
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("connect", (request, client: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    client.on("error", () => {});
    if (authorization !== null && request.headers["proxy-authorization"] !== authorization) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.once("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
