import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type buildConnector, Client, type Dispatcher, errors } from "undici";
import { BodyPieces } from "../call/body-pieces.ts";
import { MalformedResponse, type UpstreamHeaders, type UpstreamRequest } from "../call/provider.ts";
import { type ConnectionParts, IDLE_MS, type UpstreamConnection, type UpstreamLease } from "./upstream-lease.ts";

/** Maximum number of informational responses before the final response. */
const MAX_INFORMATIONS = 32;

/** A connection of the HTTP library, for bodies that are streams, and for all requests if the operator prefers it. */
export class LibraryConnection implements UpstreamConnection {
  readonly #client: Client;
  #socket: Socket | null = null;
  #exchange: LibraryExchange | null = null;
  wasUsed = false;
  isLost = false;
  restsSinceMs = 0;
  readonly idleMs = IDLE_MS;

  constructor({ connector, url, onUnexpectedData }: ConnectionParts) {
    this.#client = new Client(url.origin, {
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      // The gateway enforces its own deadlines with one sweep over all calls instead of two timers per call.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options: buildConnector.Options, callback: buildConnector.Callback) =>
        connector(options, (...made) => {
          this.#socket = made[1];
          callback(...made);
        }),
      allowH2: false,
    });
    this.#client.on("disconnect", (_origin, _targets, error) => {
      this.isLost = true;
      if (isUnexpectedData(error)) onUnexpectedData();
    });
  }

  send(lease: UpstreamLease): void {
    const { path, headers, body } = lease.request;
    this.#exchange = new LibraryExchange(this, lease);
    this.#client.dispatch({ path, method: "POST", headers: headers as string[], body: bodyOf(body) }, this.#exchange);
  }

  pause(): void {
    this.#exchange?.controller?.pause();
  }

  resume(): void {
    this.#exchange?.controller?.resume();
  }

  destroy(): void {
    this.isLost = true;
    this.#exchange?.controller?.abort(new Error("the caller canceled the request"));
    this.#client.destroy().catch(() => {});
  }

  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  /** False if an upstream that has answered early may take the rest of the request for the next one. */
  get isSent(): boolean {
    return this.#socket?.writableLength === 0;
  }
}

/** Adapts the library's handler to a lease. */
class LibraryExchange implements Dispatcher.DispatchHandler {
  controller: Dispatcher.DispatchController | null = null;
  readonly #connection: LibraryConnection;
  readonly #lease: UpstreamLease;
  /** Number of bytes that the socket had received before the request was sent. */
  #bytesBefore = 0;
  #informations = 0;

  constructor(connection: LibraryConnection, lease: UpstreamLease) {
    this.#connection = connection;
    this.#lease = lease;
    this.#bytesBefore = connection.bytesRead;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.#bytesBefore = this.#connection.bytesRead;
    this.#lease.onSent();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status >= 200) return this.#lease.onHead(status, headers);
    this.#informations += 1;
    if (this.#informations > MAX_INFORMATIONS) controller.abort(new MalformedResponse("too many interim responses"));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#lease.onBody(chunk);
  }

  onResponseEnd(): void {
    this.#connection.wasUsed = true;
    if (!this.#connection.isSent) this.#connection.isLost = true;
    this.#lease.onComplete();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const hadBytes = this.#connection.bytesRead !== this.#bytesBefore;
    this.#lease.onLost(
      isUnreadable(error) ? new MalformedResponse("not valid HTTP", { cause: error }) : error,
      hadBytes,
    );
  }
}

/** Reports whether the parser rejected the response, as opposed to a connection failure. */
function isUnreadable(error: Error): boolean {
  return (
    error instanceof MalformedResponse ||
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

/** Reports whether a connection was dropped because of bytes that belong to no request or are not HTTP. */
function isUnexpectedData(error: Error): boolean {
  return isUnreadable(error) || (error instanceof errors.SocketError && error.message === "bad response");
}

function bodyOf(body: UpstreamRequest["body"]): Buffer | Readable {
  if (typeof body === "function") return body();
  return body instanceof BodyPieces ? body.join() : body;
}
