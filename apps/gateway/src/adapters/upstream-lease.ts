import type { Socket } from "node:net";
import { type Client, type Dispatcher, errors } from "undici";
import {
  type AnswerControl,
  type AnswerListener,
  MalformedResponse,
  type UpstreamHeaders,
  type UpstreamRequest,
} from "../call/provider.ts";

/** Maximum number of informational responses before the final response. */
const MAX_INFORMATIONS = 32;
/**
 * If a connection is lost within this time, the upstream closed it while it was idle. If it is lost later, the upstream
 * may have processed the request.
 */
const LOSS_KNOWN_MS = 1_000;

/** An HTTP library client and its only connection. */
export interface UpstreamConnection {
  readonly client: Client;
  /** The latest socket; null before the first connection is open. */
  socket: Socket | null;
  restsSinceMs: number;
}

/** Owner of the leased connections. Takes a connection back when its lease ends. */
export interface LeaseOwner {
  release(connection: UpstreamConnection): void;
  /** Sends the lease's request again on another connection, because `lost` broke before the upstream could respond. */
  repeat(lease: UpstreamLease, lost: UpstreamConnection): void;
  /** Removes a waiting lease whose client has disconnected. */
  forget(lease: UpstreamLease): void;
}

/** One call's use of a connection. Adapts the HTTP library's handler to the gateway's interface. */
export class UpstreamLease implements Dispatcher.DispatchHandler, AnswerControl {
  readonly request: UpstreamRequest;
  readonly #owner: LeaseOwner;
  readonly #listener: AnswerListener;
  #connection: UpstreamConnection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  /** The socket at the time the connection was taken. */
  #rested: Socket | null = null;
  /** Number of bytes that the socket had received before the request was sent. */
  #bytesBefore = 0;
  #sentAtMs = 0;
  #informations = 0;
  #mayRepeat = true;
  #isAborted = false;

  constructor(owner: LeaseOwner, request: UpstreamRequest, listener: AnswerListener) {
    this.#owner = owner;
    this.request = request;
    this.#listener = listener;
  }

  /** Begins the call on this connection. */
  begin(connection: UpstreamConnection): void {
    this.#connection = connection;
    const { socket } = connection;
    this.#rested = socket === null || socket.destroyed ? null : socket;
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    if (this.#connection === null) this.#owner.forget(this);
    else this.#controller?.abort(new Error("the caller canceled the request"));
  }

  get wasSent(): boolean {
    return this.#sentAtMs !== 0;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#bytesBefore = this.#rested?.bytesRead ?? 0;
    this.#sentAtMs = Date.now();
    if (this.#isAborted) controller.abort(new Error("the caller canceled the request"));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    this.#mayRepeat = false;
    if (status >= 200) return this.#listener.onStart(this, status, headers);
    this.#informations += 1;
    if (this.#informations > MAX_INFORMATIONS) controller.abort(new MalformedResponse("too many interim responses"));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#listener.onData(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const connection = this.#connection;
    if (connection !== null && !this.#isAborted && this.#wasLostAtRest(connection)) {
      this.#mayRepeat = false;
      this.#connection = null;
      this.#controller = null;
      return this.#owner.repeat(this, connection);
    }
    this.#release();
    if (this.#isAborted) return;
    this.#listener.onError(isUnreadable(error) ? new MalformedResponse("not valid HTTP", { cause: error }) : error);
  }

  /**
   * Reports whether the connection was reused and then lost before any response byte arrived. In this case, the
   * upstream closed the idle connection and did not refuse this request.
   */
  #wasLostAtRest({ socket }: UpstreamConnection): boolean {
    const rested = this.#rested;
    if (!this.#mayRepeat || rested === null || rested !== socket) return false;
    if (this.#controller === null) return true;
    return rested.bytesRead === this.#bytesBefore && Date.now() - this.#sentAtMs < LOSS_KNOWN_MS;
  }

  #release(): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#controller = null;
    if (connection !== null) this.#owner.release(connection);
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
export function isUnexpectedData(error: Error): boolean {
  return isUnreadable(error) || (error instanceof errors.SocketError && error.message === "bad response");
}
