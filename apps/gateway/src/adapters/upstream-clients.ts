import type { LookupFunction } from "node:net";
import type { OutboundProxy } from "@tollgate/runtime/outbound-proxy.ts";
import { buildConnector, Client } from "undici";
import type { AnswerControl, AnswerListener, Transport, UpstreamRequest } from "../providers/provider.ts";
import { IdleConnections } from "./idle-connections.ts";
import { createProxiedConnector } from "./proxied-connector.ts";
import { isUnexpectedData, type LeaseOwner, type UpstreamConnection, UpstreamLease } from "./upstream-lease.ts";

const MAX_CONNECTIONS = 10_000;
const MAX_WAITING = 512;
const CONNECT_TIMEOUT_MS = 3_000;
const IDLE_MS = 60_000;
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

/** Thrown if too many calls are waiting for a connection to this upstream. */
export class UpstreamQueueFull extends Error {}

/** Options for connecting to an upstream. */
export interface UpstreamWay {
  /** Replaces the system resolver, and may reject the resolved address. */
  readonly lookup?: LookupFunction | null;
  /** Null for a direct connection. */
  readonly proxy?: OutboundProxy | null;
}

/**
 * Connections to one upstream with one credential. Idle connections are on a stack, so finding one takes the same time
 * with ten open streams as with ten thousand. The least recently used connections expire.
 */
export class UpstreamClients implements Transport, LeaseOwner {
  readonly #origin: string;
  readonly #basePath: string;
  readonly #resting = new IdleConnections<UpstreamConnection>(REST_MS);
  readonly #waiting: UpstreamLease[] = [];
  readonly #sweep: NodeJS.Timeout;
  /** Shared by all connections, so that a new connection can resume an earlier TLS session. */
  readonly #connector: buildConnector.connector;
  #open = 0;
  #distrustedUntilMs = 0;
  #soundAnswers = 0;
  #isClosed = false;

  /** Headers for a proxy that reads every request; empty without such a proxy. */
  readonly #proxyHeaders: readonly string[];

  constructor(apiBase: string, { lookup = null, proxy = null }: UpstreamWay = {}) {
    const url = new URL(apiBase);
    const timeout = CONNECT_TIMEOUT_MS;
    const direct = buildConnector({ timeout, allowH2: false, ...(lookup && proxy === null && { lookup }) });
    this.#connector =
      proxy === null ? direct : createProxiedConnector({ proxy, direct, lookup, timeoutMs: CONNECT_TIMEOUT_MS });
    this.#origin = url.origin;
    const readsRequests = proxy !== null && url.protocol === "http:";
    this.#proxyHeaders =
      readsRequests && proxy.authorization !== null ? ["proxy-authorization", proxy.authorization.reveal()] : [];
    this.#basePath = (readsRequests ? url.origin : "") + url.pathname.replace(/\/+$/, "");
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    const lease = new UpstreamLease(this, request, listener);
    const rested = this.#resting.take();
    if (rested !== undefined) this.#dispatch(rested, lease);
    else if (this.#open < MAX_CONNECTIONS) this.#dispatch(this.#connect(), lease);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(lease);
    else throw new UpstreamQueueFull("every connection to the upstream is in use");
    return lease;
  }

  /** Closes idle connections now, and connections in use when their calls end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    await Promise.all(this.#resting.takeAll().map(({ client }) => client.destroy()));
  }

  /**
   * Takes back the connection of a call that has ended. If another call is waiting, closes the connection and opens a
   * new one for that call.
   */
  release(connection: UpstreamConnection): void {
    const next = this.#waiting.shift();
    this.#soundAnswers += 1;
    if (next === undefined && !this.#isClosed && !this.#isDistrusted) {
      return this.#soundAnswers > SOUND_ANSWERS ? this.#resting.addRested(connection) : this.#resting.add(connection);
    }
    this.#retire(connection);
    if (next !== undefined) this.#dispatch(this.#connect(), next);
  }

  repeat(lease: UpstreamLease, lost: UpstreamConnection): void {
    this.#retire(lost);
    // The new attempt is deferred, because the client library is about to check the state of the lost connection.
    queueMicrotask(() => this.#dispatch(this.#connect(), lease));
  }

  forget(lease: UpstreamLease): void {
    const index = this.#waiting.indexOf(lease);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  get #isDistrusted(): boolean {
    return this.#distrustedUntilMs !== 0 && Date.now() < this.#distrustedUntilMs;
  }

  #connect(): UpstreamConnection {
    this.#open += 1;
    const client = new Client(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      // The gateway enforces its own deadlines with one sweep over all calls instead of two timers per call.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options: buildConnector.Options, callback: buildConnector.Callback) =>
        this.#connector(options, (...made) => {
          connection.socket = made[1];
          callback(...made);
        }),
      allowH2: false,
    });
    const connection: UpstreamConnection = { client, socket: null, restsSinceMs: 0 };
    client.on("disconnect", (_origin, _targets, error) => {
      if (!isUnexpectedData(error)) return;
      this.#distrustedUntilMs = Date.now() + DISTRUST_MS;
      this.#soundAnswers = 0;
    });
    return connection;
  }

  #dispatch(connection: UpstreamConnection, lease: UpstreamLease): void {
    lease.begin(connection);
    const { path, headers, body } = lease.request;
    connection.client.dispatch(
      {
        path: this.#basePath + path,
        method: "POST",
        headers: this.#proxyHeaders.length === 0 ? (headers as string[]) : [...headers, ...this.#proxyHeaders],
        body: typeof body === "function" ? body() : body,
      },
      lease,
    );
  }

  #retire({ client }: UpstreamConnection): void {
    this.#open -= 1;
    client.destroy().catch(() => {});
  }

  #closeIdle(): void {
    for (const connection of this.#resting.takeOlderThan(Date.now() - IDLE_MS)) this.#retire(connection);
  }
}
