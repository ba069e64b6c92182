import type { Socket } from "node:net";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Exchange, ExchangeResponse, HashedKey } from "../call/exchange.ts";

/** Checks the time limits of a request that is arriving. */
interface ArrivalCheck {
  check(nowMs: number): void;
}

/** An open connection. It can have several exchanges, because clients may pipeline requests. */
export class Connection {
  readonly socket: Socket;
  readonly exchanges: Exchange[] = [];
  /** The key of the connection's last request, cached so that the same key isn't hashed again. */
  readonly lastKey: HashedKey = { text: "", digest: "" };
  /** Set while the gateway reads the connection itself; null while Node's HTTP server does. */
  plain: ArrivalCheck | null = null;
  /** True once the last response of the connection is known. Later bytes are not parsed as requests. */
  isClosing = false;
  /** Number of requests received. A client that has only connected is about to send a request. */
  requests = 0;
  readonly openedAtMs: number;
  idleSinceMs: number;
  /** Time at which the last response was sent. After that, the client should disconnect. */
  #endedAtMs: number | null = null;
  readonly #now: () => number;
  #unsentBytes = 0;
  #unsentSinceMs = 0;

  constructor(socket: Socket, now: () => number) {
    this.socket = socket;
    this.#now = now;
    this.openedAtMs = now();
    this.idleSinceMs = this.openedAtMs;
  }

  /**
   * Makes the response to this exchange the last one, unless the client sends another request before the head of this
   * response is written. A client that pipelines learns about the close only from the head.
   */
  closeAfterLast({ response, requestNumber }: Exchange): void {
    response.beforeHead = () => {
      if (requestNumber === this.requests) this.closeAfter(response);
    };
  }

  /** Makes this response the last one on the connection. */
  closeAfter(response: Pick<ExchangeResponse, "endConnection">): void {
    if (this.isClosing) return;
    this.isClosing = true;
    response.endConnection(() => this.end());
  }

  /**
   * Ends the sending side, after these bytes if there are any, and reads for a moment longer. Closing while the client
   * is still sending would reset the connection, and many clients then report the reset instead of the response.
   */
  end(lastBytes = ""): void {
    this.isClosing = true;
    this.#endedAtMs = this.#now();
    this.socket.end(lastBytes);
  }

  /** Returns how long the client has stayed connected after its last response. */
  overstayedMs(nowMs: number): number {
    return this.#endedAtMs === null ? 0 : nowMs - this.#endedAtMs;
  }

  /** True while a response is in progress, on the fast path or off it. */
  get isAnswering(): boolean {
    return this.exchanges.length > 0 || (this.socket as InnerSocket)._httpMessage != null;
  }

  /** Returns how long bytes have been pending without the client reading any of them. */
  stalledMs(nowMs: number): number {
    const unsentBytes = (this.socket as InnerSocket)._handle?.writeQueueSize ?? 0;
    if (unsentBytes === 0 || unsentBytes !== this.#unsentBytes) this.#unsentSinceMs = nowMs;
    this.#unsentBytes = unsentBytes;
    return nowMs - this.#unsentSinceMs;
  }

  /** Number of bytes buffered for the client in this process. */
  get unsentBytes(): number {
    return this.socket.writableLength;
  }
}

/**
 * Socket fields that Node's types don't declare: the current response, and the bytes that the kernel has not accepted
 * yet.
 */
type InnerSocket = Socket & { _httpMessage?: unknown; _handle?: { writeQueueSize: number } | null };

const SWEEP_MS = 1_000;
const OVERSTAY_MS = 2_000;
/**
 * Loopback addresses have no limit, because reverse proxies and load generators for a whole fleet connect from them.
 */
const UNCAPPED_ADDRESSES = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

interface ConnectionLimits {
  readonly perAddress: () => number;
  /**
   * Reports whether an address belongs to a proxy for many clients. Connections from such an address are not limited.
   */
  readonly isProxy: (address: string) => boolean;
  readonly idleMs: number;
  readonly stalledMs: number;
  /** Maximum number of buffered bytes for all clients together. */
  readonly unsentBytes: number;
}

/**
 * Time that a draining process waits for the first request on a connection, and for the next request after a response.
 */
export interface LateRequestLimits {
  readonly firstMs: number;
  readonly nextMs: number;
}

/**
 * All open connections. Each connection has one close listener, and all connections share one idle check. A timer and a
 * listener per response would add several percent to the duration of a small call.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #open = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  /** Runs only while there are connections. */
  #sweep: NodeJS.Timeout | null = null;
  /** Number of buffered bytes for all clients together, as of the last sweep. */
  unsentBytes = 0;

  constructor(limits: ConnectionLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Adds a new connection, or closes it and returns null if its IP address has too many connections. */
  add(socket: Socket): Connection | null {
    const address = socket.remoteAddress ?? "";
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    if (count > this.#limits.perAddress() && !UNCAPPED_ADDRESSES.has(address) && !this.#limits.isProxy(address)) {
      socket.destroy();
      return null;
    }
    this.#perAddress.set(address, count);
    const connection = new Connection(socket, this.#now);
    this.#open.set(socket, connection);
    // Checks after the next poll has read pending data, so that no client counts as slow because this process was late.
    this.#sweep ??= setInterval(() => setImmediate(() => this.#check()), SWEEP_MS).unref();
    socket.once("close", () => {
      this.#open.delete(socket);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#perAddress.delete(address);
      else this.#perAddress.set(address, left);
      for (const exchange of connection.exchanges) exchange.clientGone();
    });
    return connection;
  }

  /** All open connections, oldest first. */
  all(): IterableIterator<Connection> {
    return this.#open.values();
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  end(connection: Connection, exchange: Exchange): void {
    const index = connection.exchanges.indexOf(exchange);
    if (index >= 0) connection.exchanges.splice(index, 1);
    connection.idleSinceMs = this.#now();
  }

  /** Makes each current response the last one on its connection, unless its headers have already been sent. */
  closeAfterAnswers(): void {
    for (const connection of this.all())
      for (const exchange of connection.exchanges)
        if (!exchange.response.headersSent) connection.closeAfterLast(exchange);
  }

  /**
   * Returns the time until which clients may still send a request. Counts clients that have sent no request yet and
   * clients whose last response did not close the connection. Connections opened after `openedBeforeMs` don't count.
   */
  expectingUntilMs(sinceMs: number, limits: LateRequestLimits, openedBeforeMs: number): number {
    let untilMs = 0;
    for (const { isClosing, isAnswering, requests, openedAtMs, idleSinceMs } of this.all()) {
      if (isClosing || isAnswering || openedAtMs >= openedBeforeMs) continue;
      const limitMs = requests > 0 ? limits.nextMs : limits.firstMs;
      untilMs = Math.max(untilMs, Math.max(sinceMs, idleSinceMs) + limitMs);
    }
    return untilMs;
  }

  /** Ends all calls in progress because the drain deadline has passed. */
  cutAll(failure: Failure): void {
    for (const connection of this.all()) for (const exchange of [...connection.exchanges]) exchange.cut(failure);
  }

  /**
   * Ends the sending side of every connection. Each connection closes once its client has ended its own sending side.
   */
  endAll(): void {
    this.#stopSweep();
    for (const connection of this.all()) connection.end();
  }

  closeAll(): void {
    this.#stopSweep();
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #stopSweep(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#sweep = null;
  }

  #check(): void {
    const nowMs = this.#now();
    let unsentBytes = 0;
    for (const connection of this.all()) {
      unsentBytes += connection.unsentBytes;
      connection.plain?.check(nowMs);
      if (connection.overstayedMs(nowMs) > OVERSTAY_MS) {
        connection.socket.destroy();
      } else if (!connection.isAnswering) {
        if (nowMs - connection.idleSinceMs > this.#limits.idleMs) connection.socket.destroy();
      } else if (connection.stalledMs(nowMs) > this.#limits.stalledMs) {
        connection.socket.destroy();
      } else {
        connection.idleSinceMs = nowMs;
        for (const exchange of connection.exchanges) exchange.checkBodyPace(nowMs);
      }
    }
    this.unsentBytes = unsentBytes > this.#limits.unsentBytes ? this.#cutStalled(nowMs, unsentBytes) : unsentBytes;
    if (this.#open.size === 0) this.#stopSweep();
  }

  /** Disconnects stalled clients, starting with the longest stalled, until the buffered bytes are within the limit. */
  #cutStalled(nowMs: number, unsentBytes: number): number {
    const stalled = [...this.all()].filter((connection) => connection.stalledMs(nowMs) > 0);
    stalled.sort((one, other) => other.stalledMs(nowMs) - one.stalledMs(nowMs));
    let left = unsentBytes;
    for (const connection of stalled) {
      if (left <= this.#limits.unsentBytes) break;
      left -= connection.unsentBytes;
      connection.socket.destroy();
    }
    return left;
  }
}

/** Counts the responses in progress on a server and waits until all of them have finished. */
export class OngoingAnswers {
  /** Number of calls, including requests passed to mounted handlers. */
  calls = 0;
  /** Number of requests that are not calls. A drain also waits for their responses. */
  pages = 0;
  #onIdle: (() => void) | null = null;

  endCall(): void {
    this.calls -= 1;
    if (this.isIdle) this.#onIdle?.();
  }

  endPage(): void {
    this.pages -= 1;
    if (this.isIdle) this.#onIdle?.();
  }

  get isIdle(): boolean {
    return this.calls === 0 && this.pages === 0;
  }

  /** Waits for all responses to finish, and reports whether they finished within this time. */
  idleWithin(limitMs: number): Promise<boolean> {
    if (this.isIdle) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), Math.max(0, limitMs));
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
