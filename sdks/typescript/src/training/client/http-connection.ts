import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { EncodedBody } from "../wire/encode-body.ts";
import { describeBrokenCall } from "./describe-broken-call.ts";
import { sendBody } from "./send-body.ts";

const CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** Who to trust and who to be. Certificates are always checked. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
}

export interface Exchange {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: EncodedBody;
  readonly signal: AbortSignal;
  /** The longest silence on the line; none where a participant answers only when it is done. */
  readonly silenceMs?: number;
}

/** The way to one participant. Redirects are never followed: a token must not travel to where it was not meant. */
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

  /** Sends a request and resolves with its answer, whose body is the caller's to read. */
  async exchange(exchange: Exchange): Promise<IncomingMessage> {
    try {
      return await this.#send(exchange, exchange.method === "POST");
    } catch (error) {
      // A kept connection may have been closed by the other side just as it was used again.
      if (!(error instanceof StaleConnection)) throw error;
      return await this.#send(exchange, true);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Work is posted on a connection of its own, which cannot be a stale one: it must not be started twice. */
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
      // An answer that came before the body was sent leaves a connection nothing more can be done with.
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
        // A body that cannot be read, such as a file that is gone, is our own trouble and no fault of the participant.
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
