import type { LookupFunction } from "node:net";
import type { OutboundProxy } from "@tollgate/runtime/outbound-proxy.ts";
import { buildConnector } from "undici";
import type { AnswerControl, AnswerListener, Transport, UpstreamRequest } from "../call/provider.ts";
import { LibraryConnection } from "./library-connection.ts";
import { createProxiedConnector } from "./proxied-connector.ts";
import { readOptions, SocketConnection } from "./socket-connection.ts";
import {
  type ConnectionParts,
  IDLE_MS,
  type LeaseOwner,
  type UpstreamConnection,
  UpstreamLease,
} from "./upstream-lease.ts";
import { writeHead } from "./write-head.ts";

const MAX_CONNECTIONS = 10_000;
const MAX_WAITING = 512;
const CONNECT_TIMEOUT_MS = 3_000;
const SWEEP_MS = 10_000;
/** Time for which an idle connection to an untrusted upstream is monitored before it is reused. */
const REST_MS = 10;
/**
 * Number of responses without unexpected bytes after which an upstream is trusted. Until then, monitoring costs
 * additional connections and CPU time. With 64 callers, a call took 5% longer. A faulty upstream misbehaves from the
 * start, and unexpected bytes restart the count.
 */
const SOUND_ANSWERS = 1_000;
/** Time during which an upstream that sent unexpected bytes gets a new connection for every call. */
const DISTRUST_MS = 60_000;
/** Maximum number of request heads that are kept. */
const MAX_HEADS = 16;

/** Thrown if too many calls are waiting for a connection to this upstream. */
class UpstreamQueueFull extends Error {}

/** The head of a request, up to the length of its body. */
interface KnownHead {
  readonly path: string;
  readonly headers: readonly string[];
  readonly text: string;
}

/** Options for connecting to an upstream. */
interface UpstreamWay {
  /** Replaces the system resolver, and may reject the resolved address. */
  readonly lookup?: LookupFunction | null;
  /** Null for a direct connection. */
  readonly proxy?: OutboundProxy | null;
  /** True to send all requests with the HTTP library. */
  readonly usesLibrary?: boolean;
}

/**
 * Connections to one upstream with one credential. Idle connections are on a stack, so finding one takes the same time
 * with ten open streams as with ten thousand. The least recently used connections expire.
 */
export class UpstreamClients implements Transport, LeaseOwner {
  readonly #apiBase: string;
  readonly #way: UpstreamWay;
  readonly #basePath: string;
  readonly #host: string;
  readonly #resting = new IdleConnections<UpstreamConnection>(REST_MS);
  readonly #waiting: UpstreamLease[] = [];
  readonly #sweep: NodeJS.Timeout;
  readonly #usesLibrary: boolean;
  /** The latest heads, because most requests repeat one: a deployment prepares its header list once. */
  readonly #heads: KnownHead[] = [];
  /** Header lines for a proxy that reads every request; empty without such a proxy. */
  readonly #proxyHeaders: readonly string[];
  /** Sends the bodies that are streams. */
  #library: UpstreamClients | null = null;
  #open = 0;
  #distrustedUntilMs = 0;
  #soundAnswers = 0;
  #isClosed = false;
  readonly #parts: ConnectionParts;

  constructor(apiBase: string, way: UpstreamWay = {}) {
    const { lookup = null, proxy = null, usesLibrary = false } = way;
    this.#apiBase = apiBase;
    this.#way = way;
    const url = new URL(apiBase);
    const timeout = CONNECT_TIMEOUT_MS;
    const direct = buildConnector({
      timeout,
      allowH2: false,
      ...(lookup && proxy === null && { lookup }),
      ...(!usesLibrary && readOptions),
    });
    const connector =
      proxy === null ? direct : createProxiedConnector({ proxy, direct, lookup, timeoutMs: CONNECT_TIMEOUT_MS });
    this.#usesLibrary = usesLibrary;
    this.#host = url.host;
    this.#parts = { connector, url, onUnexpectedData: () => this.#distrust() };
    const readsRequests = proxy !== null && url.protocol === "http:";
    this.#proxyHeaders =
      readsRequests && proxy.authorization !== null ? ["proxy-authorization", proxy.authorization.reveal()] : [];
    this.#basePath = (readsRequests ? url.origin : "") + url.pathname.replace(/\/+$/, "");
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    if (typeof request.body === "function" && !this.#usesLibrary) return this.#openLibrary().send(request, listener);
    const lease = this.#usesLibrary
      ? new UpstreamLease(this, this.#addressed(request), "", listener)
      : new UpstreamLease(this, request, this.#headOf(request), listener);
    const rested = this.#take();
    if (rested !== undefined) lease.begin(rested);
    else if (this.#open < MAX_CONNECTIONS) lease.begin(this.#connect());
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(lease);
    else throw new UpstreamQueueFull("every connection to the upstream is in use");
    return lease;
  }

  /** Closes idle connections now, and connections in use when their calls end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const connection of this.#resting.takeAll()) connection.destroy();
    await this.#library?.close();
  }

  /**
   * Takes back the connection of a call that has ended. If another call is waiting, closes the connection and opens a
   * new one for that call.
   */
  release(connection: UpstreamConnection): void {
    this.#soundAnswers += 1;
    if (connection.isLost || this.#waiting.length > 0 || this.#isClosed || this.#isDistrusted) {
      return this.retire(connection);
    }
    if (this.#soundAnswers > SOUND_ANSWERS) this.#resting.addRested(connection);
    else this.#resting.add(connection);
  }

  retire(connection: UpstreamConnection): void {
    this.#open -= 1;
    connection.destroy();
    const next = this.#waiting.shift();
    if (next !== undefined) next.begin(this.#connect());
  }

  repeat(lease: UpstreamLease): void {
    // The new attempt is deferred, because the lost connection is still being closed.
    queueMicrotask(() => {
      if (!lease.isAborted) lease.begin(this.#connect());
    });
  }

  forget(lease: UpstreamLease): void {
    const index = this.#waiting.indexOf(lease);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  get #isDistrusted(): boolean {
    return this.#distrustedUntilMs !== 0 && Date.now() < this.#distrustedUntilMs;
  }

  /** Takes an idle connection that is still open, and that the upstream isn't about to close. */
  #take(): UpstreamConnection | undefined {
    for (;;) {
      const connection = this.#resting.take();
      if (connection === undefined) return undefined;
      if (!connection.isLost && Date.now() - connection.restsSinceMs < connection.idleMs) return connection;
      this.#open -= 1;
      connection.destroy();
    }
  }

  #connect(): UpstreamConnection {
    this.#open += 1;
    return this.#usesLibrary ? new LibraryConnection(this.#parts) : new SocketConnection(this.#parts);
  }

  #openLibrary(): UpstreamClients {
    this.#library ??= new UpstreamClients(this.#apiBase, { ...this.#way, usesLibrary: true });
    return this.#library;
  }

  /** Returns the request with its whole path, and with the headers for a proxy. */
  #addressed({ path, headers, body }: UpstreamRequest): UpstreamRequest {
    return { path: this.#basePath + path, headers: [...headers, ...this.#proxyHeaders], body };
  }

  #headOf({ path, headers }: UpstreamRequest): string {
    for (const known of this.#heads) if (known.headers === headers && known.path === path) return known.text;
    const text = writeHead(this.#basePath + path, this.#host, [...headers, ...this.#proxyHeaders]);
    if (this.#heads.length >= MAX_HEADS) this.#heads.shift();
    this.#heads.push({ path, headers, text });
    return text;
  }

  #distrust(): void {
    this.#distrustedUntilMs = Date.now() + DISTRUST_MS;
    this.#soundAnswers = 0;
  }

  #closeIdle(): void {
    for (const connection of this.#resting.takeOlderThan(Date.now() - IDLE_MS)) this.retire(connection);
  }
}

/** A connection that can be reused. */
interface Restable {
  restsSinceMs: number;
}

/**
 * Connections that are idle between calls. The most recently used connection is taken first, so that the least used
 * connections expire. A connection must be idle for a minimum time before it is reused, because unexpected bytes arrive
 * shortly after a response and would be mistaken for the next response.
 *
 * A timer measures this time, because a delayed process that compared clock times could reuse a connection before
 * reading those bytes. When the timer fires, a delayed process still has not read them, so it reads once more first.
 */
export class IdleConnections<Connection extends Restable> {
  readonly #restMs: number;
  /** Connections that can be reused, oldest first. */
  readonly #rested: Connection[] = [];
  /** Connections that have not been idle for the minimum time yet, oldest first. */
  #fresh: Connection[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(restMs: number) {
    this.#restMs = restMs;
  }

  add(connection: Connection): void {
    connection.restsSinceMs = Date.now();
    this.#fresh.push(connection);
    if (this.#timer === null) this.#wakeIn(this.#restMs);
  }

  /** Adds a connection to a trusted upstream. The connection is ready immediately. */
  addRested(connection: Connection): void {
    connection.restsSinceMs = Date.now();
    this.#rested.push(connection);
  }

  /** Takes a ready connection. Returns undefined if no connection is ready. */
  take(): Connection | undefined {
    return this.#rested.pop();
  }

  /** Takes all ready connections that have been idle since before this time. */
  takeOlderThan(oldestMs: number): readonly Connection[] {
    let expired = 0;
    while (expired < this.#rested.length && (this.#rested[expired] as Connection).restsSinceMs < oldestMs) expired += 1;
    return this.#rested.splice(0, expired);
  }

  /** Takes all connections. */
  takeAll(): readonly Connection[] {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return [...this.#rested.splice(0), ...this.#fresh.splice(0)];
  }

  /** Timers fire before the process reads. A call that is sent when another connection is read must not come first. */
  readonly #wake = (): void => {
    const nowMs = Date.now();
    setImmediate(() => this.#admit(nowMs));
  };

  /** Makes the connections reusable that had been idle for the minimum time before the process last read. */
  #admit(nowMs: number): void {
    this.#timer = null;
    const fresh = this.#fresh;
    let rested = 0;
    while (rested < fresh.length && (fresh[rested] as Connection).restsSinceMs + this.#restMs <= nowMs) {
      this.#rested.push(fresh[rested] as Connection);
      rested += 1;
    }
    this.#fresh = rested === fresh.length ? [] : fresh.slice(rested);
    const [next] = this.#fresh;
    // Waits at least half the idle time, so that a busy process doesn't run a timer per connection.
    if (next !== undefined) this.#wakeIn(Math.max(this.#restMs / 2, next.restsSinceMs + this.#restMs - nowMs));
  }

  #wakeIn(delayMs: number): void {
    this.#timer = setTimeout(this.#wake, delayMs);
    this.#timer.unref();
  }
}
