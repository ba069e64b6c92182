import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import type { OutboundProxy } from "@tollgate/runtime/outbound-proxy.ts";
import { AddressRefused } from "@tollgate/runtime/resolve-host.ts";
import type { buildConnector } from "undici";

/** The proxy refused the connection. The upstream was not reached, so the call can be retried. */
class ProxyRefused extends Error {
  readonly code = "ECONNREFUSED";

  constructor(proxy: OutboundProxy, reason: string) {
    super(`the proxy ${proxy.url.host} ${reason}`);
    this.name = "ProxyRefused";
  }
}

interface ProxiedConnector {
  readonly proxy: OutboundProxy;
  /** Connects to the upstream, over the given socket if there is one. */
  readonly direct: buildConnector.connector;
  /** Rejects hosts whose addresses are not allowed; null if all addresses are allowed. */
  readonly lookup: LookupFunction | null;
  readonly timeoutMs: number;
}

/**
 * Creates a connector that uses a proxy. For HTTPS, it opens a tunnel in which the upstream's certificate is verified
 * as usual. For plain HTTP, it connects to the proxy itself, which expects absolute URLs.
 */
export function createProxiedConnector(parts: ProxiedConnector): buildConnector.connector {
  const connect = (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    if (options.protocol !== "https:") return parts.direct(addressOf(parts.proxy), callback);
    openTunnel(parts, options).then(
      (socket) => parts.direct({ ...options, servername: options.hostname, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    );
  };
  return (options, callback) => {
    if (parts.lookup === null) return connect(options, callback);
    // The proxy resolves names itself, so a name that can't be resolved here is passed to the proxy.
    parts.lookup(options.hostname, { all: true }, (error) => {
      if (error instanceof AddressRefused) callback(error, null);
      else connect(options, callback);
    });
  };
}

function addressOf({ url }: OutboundProxy): buildConnector.Options {
  return { hostname: url.hostname, host: url.host, protocol: url.protocol, port: portOf(url) };
}

const portOf = (url: { port: string; protocol: string }): string =>
  url.port || (url.protocol === "https:" ? "443" : "80");

function openTunnel(parts: ProxiedConnector, options: buildConnector.Options): Promise<Socket> {
  const { proxy } = parts;
  const { hostname } = options;
  const authority = `${hostname.includes(":") ? `[${hostname.replace(/^\[|\]$/g, "")}]` : hostname}:${portOf(options)}`;
  const start = proxy.url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const asked = start({
      host: proxy.url.hostname,
      port: portOf(proxy.url),
      method: "CONNECT",
      path: authority,
      headers: {
        host: authority,
        ...(proxy.authorization !== null && { "proxy-authorization": proxy.authorization.reveal() }),
      },
      agent: false,
    });
    const timer = setTimeout(
      () => asked.destroy(new ProxyRefused(proxy, `did not open a tunnel within ${parts.timeoutMs} ms`)),
      parts.timeoutMs,
    );
    asked.once("connect", (answer, socket: Socket, head) => {
      clearTimeout(timer);
      if (answer.statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      reject(new ProxyRefused(proxy, `returned ${answer.statusCode} to CONNECT`));
    });
    asked.once("error", (error) => {
      clearTimeout(timer);
      reject(error instanceof ProxyRefused ? error : new ProxyRefused(proxy, `could not be reached: ${error.message}`));
    });
    asked.end();
  });
}
