import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Exchange, HashedKey } from "./exchange.ts";

/** An open connection. A client may send a request before the last is answered, so there can be several exchanges. */
export class Connection {
  readonly socket: Socket;
  readonly exchanges: Exchange[] = [];
  /** The key its last request came with, so that the same one is not hashed again. */
  readonly lastKey: HashedKey = { text: "", digest: "" };
  /** Its last answer is decided: what still arrives is not read as requests. */
  isClosing = false;
  /** How many requests have come over it. A client that has only connected is about to send one. */
  requests = 0;
  readonly openedAtMs: number;
  idleSinceMs: number;
  /** When its last answer was sent; the client is expected to leave now. */
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
   * Makes the answer to this exchange the last one, unless the client has sent another request by the time its head is
   * written: a client that pipelines cannot know before.
   */
  closeAfterLast({ response, requestNumber }: Exchange): void {
    response.beforeHead = () => {
      if (requestNumber === this.requests) this.closeAfter(response);
    };
  }

  /** Makes this answer the last one of the connection. */
  closeAfter(response: ServerResponse): void {
    if (this.isClosing) return;
    this.isClosing = true;
    response.shouldKeepAlive = false;
    response.prependOnceListener("finish", () => {
      (response as ServerResponse & { _last: boolean })._last = false;
      this.end();
    });
  }

  /**
   * Says that nothing more will be sent, after these bytes if there are any, and goes on reading for a moment. Closing
   * under a client that still sends resets the connection, and many clients then report the reset and not the answer.
   */
  end(lastBytes = ""): void {
    this.isClosing = true;
    this.#endedAtMs = this.#now();
    this.socket.end(lastBytes);
  }

  /** For how long the client has stayed although its last answer was sent. */
  overstayedMs(nowMs: number): number {
    return this.#endedAtMs === null ? 0 : nowMs - this.#endedAtMs;
  }

  /** Whether an answer is under way, on the fast path or off it. */
  get isAnswering(): boolean {
    return this.exchanges.length > 0 || (this.socket as InnerSocket)._httpMessage != null;
  }

  /** For how long the client has taken nothing of what waits for it. */
  stalledMs(nowMs: number): number {
    const unsentBytes = (this.socket as InnerSocket)._handle?.writeQueueSize ?? 0;
    if (unsentBytes === 0 || unsentBytes !== this.#unsentBytes) this.#unsentSinceMs = nowMs;
    this.#unsentBytes = unsentBytes;
    return nowMs - this.#unsentSinceMs;
  }

  /** What this process keeps for the client. */
  get unsentBytes(): number {
    return this.socket.writableLength;
  }
}

/** What a socket knows and its type does not say: the answer it carries, and what the system has not yet taken of it. */
type InnerSocket = Socket & { _httpMessage?: unknown; _handle?: { writeQueueSize: number } | null };

const SWEEP_MS = 1_000;
const OVERSTAY_MS = 2_000;
/** The machine itself is not capped: reverse proxies and test drivers of a whole fleet come from here. */
const UNCAPPED_ADDRESSES = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

export interface ConnectionLimits {
  readonly perAddress: () => number;
  /** Whether an address speaks for many clients, so that its connections are not counted. */
  readonly isProxy: (address: string) => boolean;
  readonly idleMs: number;
  readonly stalledMs: number;
  /** What may wait for all clients together. */
  readonly unsentBytes: number;
}

/** How long a process that leaves waits for requests: the first of a connection, and the one after an answer. */
export interface LateRequestLimits {
  readonly firstMs: number;
  readonly nextMs: number;
}

/**
 * Every open connection, with one close listener and one idle check for all of its answers: a timer and a listener per
 * answer cost several per cent of a small call.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #open = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  readonly #sweep: NodeJS.Timeout;
  /** What waits for all clients together, as of the last sweep. */
  unsentBytes = 0;

  constructor(limits: ConnectionLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    // After the next poll: what has arrived is read first, so that no client is slow because this process was late.
    this.#sweep = setInterval(() => setImmediate(() => this.#check()), SWEEP_MS);
    this.#sweep.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes a new connection, or closes it when its address has too many already. */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    if (count > this.#limits.perAddress() && !UNCAPPED_ADDRESSES.has(address) && !this.#limits.isProxy(address)) {
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, count);
    const connection = new Connection(socket, this.#now);
    this.#open.set(socket, connection);
    socket.once("close", () => {
      this.#open.delete(socket);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#perAddress.delete(address);
      else this.#perAddress.set(address, left);
      for (const exchange of connection.exchanges) exchange.clientGone();
    });
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  end(connection: Connection, exchange: Exchange): void {
    const index = connection.exchanges.indexOf(exchange);
    if (index >= 0) connection.exchanges.splice(index, 1);
    connection.idleSinceMs = this.#now();
  }

  /** Makes answers under way the last of their connections, where the client has not been told otherwise already. */
  closeAfterAnswers(): void {
    for (const connection of this.#open.values())
      for (const exchange of connection.exchanges)
        if (!exchange.response.headersSent) connection.closeAfterLast(exchange);
  }

  /**
   * Until when clients may still send a request, as far as they know: those that only connected, and those whose last
   * answer let them keep the connection. Connections that were opened after `openedBeforeMs` do not count.
   */
  expectingUntilMs(sinceMs: number, limits: LateRequestLimits, openedBeforeMs: number): number {
    let untilMs = 0;
    for (const { isClosing, isAnswering, requests, openedAtMs, idleSinceMs } of this.#open.values()) {
      if (isClosing || isAnswering || openedAtMs >= openedBeforeMs) continue;
      const limitMs = requests > 0 ? limits.nextMs : limits.firstMs;
      untilMs = Math.max(untilMs, Math.max(sinceMs, idleSinceMs) + limitMs);
    }
    return untilMs;
  }

  /** Ends calls that are still under way: this process waits no longer for them. */
  cutAll(failure: Failure): void {
    for (const connection of this.#open.values())
      for (const exchange of [...connection.exchanges]) exchange.cut(failure);
  }

  /** Says on every connection that nothing more will be sent. Each is closed when its client has closed it too. */
  endAll(): void {
    clearInterval(this.#sweep);
    for (const connection of this.#open.values()) connection.end();
  }

  closeAll(): void {
    clearInterval(this.#sweep);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #check(): void {
    const nowMs = this.#now();
    let unsentBytes = 0;
    for (const connection of this.#open.values()) {
      unsentBytes += connection.unsentBytes;
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
  }

  /** Gives up clients that have stopped reading, those first that did so longest ago, until what is left is bearable. */
  #cutStalled(nowMs: number, unsentBytes: number): number {
    const stalled = [...this.#open.values()].filter((connection) => connection.stalledMs(nowMs) > 0);
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
