import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { EncodedBody } from "../wire/encode-body.ts";
import { describeBrokenCall } from "./describe-broken-call.ts";
import { sendBody } from "./send-body.ts";

const CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** Trusted CA and client certificate. Server certificates are always verified. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
}

interface Exchange {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: EncodedBody;
  readonly signal: AbortSignal;
  /** Maximum idle time on the connection; undefined if a participant responds only when its job is done. */
  readonly silenceMs?: number;
}

/** HTTP connection to one participant. Never follows redirects, so that the token isn't sent to another host. */
export class HttpConnection {
  readonly #url: URL;
  readonly #tls: TlsOptions;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(url: URL, tls: TlsOptions = {}) {
    this.#url = url;
    this.#tls = tls;
    const options = { keepAlive: true, maxSockets: 16 };
    this.#agent = url.protocol === "https:" ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
  }

  /** Sends a request and resolves with its response. The caller must read the body. */
  async exchange(exchange: Exchange): Promise<IncomingMessage> {
    try {
      return await this.#send(exchange, exchange.method === "POST");
    } catch (error) {
      // The participant may have closed a keep-alive connection just as it was reused.
      if (!(error instanceof StaleConnection)) throw error;
      return await this.#send(exchange, true);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * Send POST requests on a new connection. A new connection cannot be stale, so the request never has to be repeated
   * and work is never started twice.
   */
  #send(exchange: Exchange, onNewConnection: boolean): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isSecure = this.#url.protocol === "https:";
    const request = (isSecure ? httpsRequest : httpRequest)(new URL(exchange.path, this.#url), {
      method: exchange.method,
      headers: exchange.headers,
      signal: exchange.signal,
      agent: onNewConnection ? false : this.#agent,
      ...(isSecure ? this.#tls : {}),
    });
    request.once("response", (response) => {
      // If the response arrives before the body is sent, the connection cannot be reused.
      response.once("close", () => request.writableEnded || request.destroy());
      resolve(response);
    });
    request.on("error", (error) => {
      if (exchange.signal.aborted) reject(exchange.signal.reason);
      else if (request.reusedSocket && "code" in error && error.code === "ECONNRESET") reject(new StaleConnection());
      else reject(describeBrokenCall(error));
    });
    request.once("socket", (socket) => {
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(timeout("connection timed out")), CONNECT_MS);
      socket.once(isSecure ? "secureConnect" : "connect", () => clearTimeout(timer));
      request.once("close", () => clearTimeout(timer));
    });
    if (exchange.silenceMs !== undefined) {
      request.setTimeout(exchange.silenceMs, () => request.destroy(timeout("connection idle for too long")));
    }
    if (exchange.body === undefined) request.end();
    else {
      sendBody(request, exchange.body.chunks).catch((error: unknown) => {
        // A request body that cannot be read, such as a missing file, is a local error, not a participant error.
        reject(error);
        request.destroy();
      });
    }
    return promise;
  }
}

class StaleConnection extends Error {}

function timeout(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}
