import type { buildConnector } from "undici";
import {
  type AnswerControl,
  type AnswerListener,
  MalformedResponse,
  type UpstreamHeaders,
  type UpstreamRequest,
} from "../call/provider.ts";

/**
 * If a connection is lost within this time, the upstream closed it while it was idle. If it is lost later, the upstream
 * may have processed the request.
 */
const LOSS_KNOWN_MS = 1_000;

/** Time for which an idle connection is kept. */
export const IDLE_MS = 60_000;

/** What the connections to one upstream share. */
export interface ConnectionParts {
  /** Opens sockets. It is shared, so that a new connection can resume an earlier TLS session. */
  readonly connector: buildConnector.connector;
  readonly url: URL;
  /** Called if the upstream sent bytes that are not HTTP or belong to no request. */
  readonly onUnexpectedData: () => void;
}

/** A connection to an upstream. It serves one call at a time. */
export interface UpstreamConnection {
  /** The time since which the connection is idle, and the time for which it may be. */
  restsSinceMs: number;
  readonly idleMs: number;
  /** True if the connection is open and has served a call, so that the upstream may close it at any moment. */
  readonly wasUsed: boolean;
  /** True if the connection can't serve another call. */
  readonly isLost: boolean;
  /** Sends the lease's request. The lease receives the response. */
  send(lease: UpstreamLease): void;
  pause(): void;
  resume(): void;
  /** Closes the connection immediately. Its lease isn't called again. */
  destroy(): void;
}

/** Owner of the leased connections. Takes a connection back when its lease ends. */
export interface LeaseOwner {
  /** Takes a connection back whose response is complete. */
  release(connection: UpstreamConnection): void;
  /** Closes a connection that can't be used again. */
  retire(connection: UpstreamConnection): void;
  /** Sends the lease's request again on another connection, because the first broke before the upstream could respond. */
  repeat(lease: UpstreamLease): void;
  /** Removes a waiting lease whose client has disconnected. */
  forget(lease: UpstreamLease): void;
}

/** One call's use of a connection. */
export class UpstreamLease implements AnswerControl {
  /** The request to send; null once the upstream responds, because a stream may stay open for minutes. */
  #request: UpstreamRequest | null;
  /** The head of the request, up to the length of its body, one character per byte. */
  readonly head: string;
  readonly #owner: LeaseOwner;
  readonly #listener: AnswerListener;
  #connection: UpstreamConnection | null = null;
  #wasIdle = false;
  #sentAtMs = 0;
  #mayRepeat = true;
  #isAborted = false;

  constructor(owner: LeaseOwner, request: UpstreamRequest, head: string, listener: AnswerListener) {
    this.#owner = owner;
    this.#request = request;
    this.head = head;
    this.#listener = listener;
  }

  /** The request to send. It can't be read anymore once the upstream has responded. */
  get request(): UpstreamRequest {
    if (this.#request === null) throw new Error("the upstream has already responded");
    return this.#request;
  }

  /** Begins the call on this connection. */
  begin(connection: UpstreamConnection): void {
    this.#connection = connection;
    this.#wasIdle = connection.wasUsed;
    connection.send(this);
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) this.#owner.forget(this);
    else this.#owner.retire(connection);
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get wasSent(): boolean {
    return this.#sentAtMs !== 0;
  }

  /** Called by the connection when it writes the request. */
  onSent(): void {
    this.#sentAtMs = Date.now();
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#mayRepeat = false;
    this.#request = null;
    if (!this.#isAborted) this.#listener.onStart(this, status, headers);
  }

  /** The bytes are valid only during this call. */
  onBody(bytes: Buffer): void {
    if (!this.#isAborted) this.#listener.onData(bytes);
  }

  onComplete(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#connection = null;
    this.#owner.release(connection);
    this.#listener.onEnd();
  }

  /** Called when the connection is lost. `hadBytes` is true if any byte of the response had arrived. */
  onLost(error: Error, hadBytes: boolean): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#connection = null;
    this.#owner.retire(connection);
    if (this.#wasLostAtRest(error, hadBytes)) {
      this.#mayRepeat = false;
      return this.#owner.repeat(this);
    }
    this.#listener.onError(error);
  }

  /**
   * Reports whether the connection was reused and then lost before any response byte arrived. In this case, the
   * upstream closed the idle connection and did not refuse this request.
   */
  #wasLostAtRest(error: Error, hadBytes: boolean): boolean {
    if (!this.#mayRepeat || !this.#wasIdle || hadBytes || error instanceof MalformedResponse) return false;
    return this.#sentAtMs === 0 || Date.now() - this.#sentAtMs < LOSS_KNOWN_MS;
  }
}
