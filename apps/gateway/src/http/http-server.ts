import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import type { ErrorCodeStyle } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { Exchange, type ExchangeRequest, type ExchangeResponse } from "../call/exchange.ts";
import type { ErrorFormat } from "../call/operation-traits.ts";
import type { RequestHeaders } from "../call/request-headers.ts";
import type { UnattendedCalls } from "../limits/live-calls.ts";
import { answerFailure, sendPrebuiltFailure } from "./answer-failure.ts";
import { answerPreflight } from "./answer-preflight.ts";
import { answerUnparsable, refuseLate } from "./answer-unparsable.ts";
import { type Connection, Connections, OngoingAnswers } from "./connections.ts";
import { DirectBody, DirectResponse } from "./direct-http.ts";
import { hostOf } from "./docs-url.ts";
import { isServedBy, type MountedHandler, type RequestHandler } from "./mounted-handler.ts";
import {
  PlainConnection,
  type PlainExchange,
  PlainRequest,
  PlainResponse,
  type PlainServer,
  readDirectly,
} from "./plain-connection.ts";
import type { PlainHead } from "./plain-head.ts";
import { RefusalThrottle } from "./refusal-throttle.ts";
import { checkFraming, type HostCheck, isDrainable, readRequestHeaders } from "./request-headers.ts";
import type { MatchedRoute, RouteTable } from "./route-table.ts";
import { LAST_WORDS_MS, ServerDrain } from "./server-drain.ts";
import { type TlsIdentity, toTlsOptions } from "./tls-identity.ts";

const MAX_HEADER_BYTES = 32 * 1024;
const DEFAULT_TIMEOUTS: ServerTimeouts = { headersMs: 10_000, requestMs: 30_000 };
/**
 * Number of times that `node:http` looks for slow requests within the shorter limit, so a request exceeds its limit by at
 * most a quarter. Each check wakes up the process, also when it has no connections.
 */
const SLOW_CHECKS_PER_LIMIT = 4;
const KEEP_ALIVE_IDLE_MS = 75_000;
const STALLED_CLIENT_MS = 30_000;
const REQUESTS_PER_CONNECTION = 1_000;
const MAX_CONNECTIONS = 10_000;
/** Maximum total number of buffered bytes for all clients. */
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;
/**
 * Maximum number of buffered bytes for a slow client before its upstream is paused. One more read can raise the buffer
 * to 64 KiB or more.
 */
const UNSENT_BYTES = 32 * 1024;

/** What the framing checks need to know of every plain request. */
const PLAIN_REQUEST = { method: "POST", httpVersionMajor: 1, httpVersionMinor: 1 } as const;

/** Maximum times for receiving the head of a request and the whole request. */
export interface ServerTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

interface ServerParts {
  readonly routes: RouteTable;
  /** Handles all non-inference requests. */
  readonly rest: RequestHandler;
  /** Other handlers with their own path prefixes, such as `/api`; null if there are none. */
  readonly mounted?: MountedHandler | null;
  /** Omitted for plain HTTP. */
  readonly tls?: TlsIdentity | null;
  /** Returns the check of the Host header. A reload replaces it. */
  readonly hostCheck: () => HostCheck;
  readonly keyHeaders: () => readonly string[];
  readonly maxConnectionsPerAddress: () => number;
  /**
   * Reports whether an address belongs to a proxy for many clients. Connections from such an address are not limited.
   */
  readonly isProxy?: (address: string) => boolean;
  /** Reports whether read requests are shed because of overload. */
  readonly shedsReads?: () => boolean;
  /** True if Node's parser reads all requests, also plain ones to inference routes. */
  readonly usesNodeParser?: boolean;
  readonly timeouts?: ServerTimeouts;
  readonly codeStyle: () => ErrorCodeStyle;
  /** Returns the URL of the documentation on a host; a path if the host is null. */
  readonly docsUrl: (host: string | null) => string;
  readonly newEventId: () => string;
  readonly now: () => number;
  /** Calls whose clients have disconnected. A drain ends them at its deadline. */
  readonly unattended: UnattendedCalls;
  /**
   * Called for an unexpected error, which is a bug. The error is logged with its context and never sent to a client.
   */
  readonly onUnexpected: (error: unknown, callId: string) => void;
}

type EdgeServer =
  | Server<typeof DirectBody, typeof DirectResponse>
  | TlsServer<typeof DirectBody, typeof DirectResponse>;

/**
 * The gateway's HTTP server: strict framing, explicit limits, inference routes on the fast path, and other handlers.
 */
export class HttpServer {
  readonly server: EdgeServer;
  readonly connections: Connections;
  readonly refusals: RefusalThrottle;
  readonly #parts: ServerParts;
  /** The raw sockets of all TLS connections, including those whose handshake is incomplete. */
  readonly #beneath = new Set<Socket>();
  readonly #ongoing = new OngoingAnswers();
  readonly #drain: ServerDrain;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { headersMs, requestMs } = parts.timeouts ?? DEFAULT_TIMEOUTS;
    this.connections = new Connections(
      {
        perAddress: parts.maxConnectionsPerAddress,
        isProxy: parts.isProxy ?? (() => false),
        idleMs: KEEP_ALIVE_IDLE_MS,
        stalledMs: STALLED_CLIENT_MS,
        unsentBytes: MAX_UNSENT_BYTES,
      },
      parts.now,
    );
    this.refusals = new RefusalThrottle(parts.now);
    this.#drain = new ServerDrain({
      connections: this.connections,
      ongoing: this.#ongoing,
      unattended: parts.unattended,
      beneath: this.#beneath,
      now: parts.now,
      stopListening: () => this.#stopListening(),
    });
    const options = {
      IncomingMessage: DirectBody,
      ServerResponse: DirectResponse,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // A periodic sweep over all connections replaces Node's timer per response.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: Math.min(headersMs, requestMs) / SLOW_CHECKS_PER_LIMIT,
      // The host is checked below with the rest of the framing, so that this rejection has a body like all other
      // rejections.
      requireHostHeader: false,
      insecureHTTPParser: false,
      highWaterMark: UNSENT_BYTES,
    };
    const tls = parts.tls ?? null;
    this.server =
      tls === null
        ? createServer(options)
        : createTlsServer({ ...options, ...toTlsOptions(tls), handshakeTimeout: headersMs });
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
    // With TLS, a connection counts only after its handshake, which has its own limit.
    const arrival = tls === null ? "connection" : "secureConnection";
    if (parts.usesNodeParser === true) this.server.on(arrival, (socket: Socket) => this.connections.add(socket));
    else this.#readPlainly(arrival, tls !== null);
    if (tls !== null) this.server.on("connection", (socket: Socket) => this.#keepBeneath(socket));
    this.server.on("request", (request: DirectBody, response) => this.#receive(request, response));
    // The operation decides whether it needs the body. Until then, the client gets no 100 Continue.
    this.server.on("checkContinue", (request: DirectBody, response) => this.#receive(request, response));
    this.server.on("checkExpectation", (request: DirectBody, response) => this.#receive(request, response));
    // Without an upgrade listener, upgrade requests arrive like any other request and are refused.
    this.server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      answerUnparsable(error, socket, this.connections, this.#unparsable),
    );
  }

  get #unparsable() {
    return { newEventId: this.#parts.newEventId, docsUrl: () => this.#parts.docsUrl(null) };
  }

  /** Uses this certificate for new connections. Open connections are unaffected. */
  renewTls(identity: TlsIdentity): void {
    if ("setSecureContext" in this.server) this.server.setSecureContext(toTlsOptions(identity));
  }

  get liveCalls(): number {
    return this.#ongoing.calls;
  }

  /** Makes every response the last one on its connection. */
  announceLeaving(): void {
    this.#drain.announceLeaving();
  }

  /** Stops accepting new calls and resolves when the running calls have ended, or at the deadline. */
  drain(timeoutMs: number, othersListen: boolean): Promise<void> {
    return this.#drain.run(timeoutMs, othersListen);
  }

  get isDraining(): boolean {
    return this.#drain.isDraining;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#stopListening(resolve));
    this.connections.endAll();
    const limit = setTimeout(() => {
      this.connections.closeAll();
      for (const socket of this.#beneath) socket.destroy();
    }, LAST_WORDS_MS);
    this.refusals.close();
    await closed;
    clearTimeout(limit);
    this.server.close();
  }

  /** Stops listening. Node's own `close` also destroys connections whose last response is still unread. */
  #stopListening(onClosed: () => void = () => {}): void {
    NetServer.prototype.close.call(this.server, onClosed);
  }

  /** Tracks raw TLS sockets, because a closing server waits for each of them for up to the full handshake timeout. */
  #keepBeneath(socket: Socket): void {
    this.#beneath.add(socket);
    socket.once("close", () => this.#beneath.delete(socket));
  }

  /** Reads new connections here first, and leaves them to Node's HTTP server when they aren't plain. */
  #readPlainly(arrival: "connection" | "secureConnection", isTls: boolean): void {
    const { server } = this;
    const [readByNode] = server.listeners(arrival) as [(socket: Socket) => void];
    server.removeListener(arrival, readByNode);
    // An accepted socket must not be read before its replacement.
    if (!isTls) (server as NetServer & { pauseOnConnect?: boolean }).pauseOnConnect = true;
    const { headersMs, requestMs } = this.#parts.timeouts ?? DEFAULT_TIMEOUTS;
    const lane: PlainServer = {
      headersMs,
      requestMs,
      begin: (connection, head, onEnd) => this.#beginPlain(connection, head, onEnd),
      run: (connection, { route, exchange }) => this.#run(route, connection, exchange),
      refuseLate: (connection) => refuseLate(connection, this.#unparsable),
      handOver: ({ socket }, bytes) => {
        socket.removeAllListeners("data").removeAllListeners("end");
        readByNode.call(server, socket);
        socket.resume();
        if (bytes.length > 0) socket.emit("data", bytes);
      },
    };
    server.on(arrival, (accepted: Socket) => this.#accept(accepted, isTls, lane));
  }

  #accept(accepted: Socket, isTls: boolean, lane: PlainServer): void {
    let plain: PlainConnection | null = null;
    const take = (bytes: Buffer) => plain?.take(bytes);
    const socket = isTls ? accepted : readDirectly(accepted, take);
    socket.on("error", () => {});
    const connection = this.connections.add(socket);
    if (connection === null) return;
    plain = new PlainConnection(lane, connection);
    if (isTls) socket.on("data", take);
    socket.on("end", () => plain?.end());
  }

  #beginPlain(connection: Connection, head: PlainHead, onEnd: () => void): PlainExchange | null {
    const route = this.#acceptPlain(head);
    if (route === null) return null;
    connection.requests += 1;
    const request = new PlainRequest(connection.socket, head, this.#parts.keyHeaders());
    const response = new PlainResponse(connection.socket, onEnd);
    if (connection.requests >= REQUESTS_PER_CONNECTION) connection.closeAfter(response);
    return { route, request, exchange: this.#exchangeOf(route, connection, request, response, head.headers) };
  }

  /** Checks a head and finds its route. Heads that repeat this one are checked again only after a reload. */
  #acceptPlain(head: PlainHead): MatchedRoute | null {
    const hostCheck = this.#parts.hostCheck();
    if (head.accepted?.hostCheck === hostCheck) return head.accepted.route;
    try {
      checkFraming({ ...PLAIN_REQUEST, url: head.target }, head.headers, hostCheck);
      const route = this.#parts.routes.match(head.target);
      head.accepted = route && { route, hostCheck };
      return route;
    } catch {
      // The request is refused when it has been read by Node, like all others.
      return null;
    }
  }

  #receive(request: DirectBody, response: DirectResponse): void {
    const connection = this.connections.of(request.socket);
    // After a response that closes the connection, further bytes are not treated as requests.
    if (connection === undefined || connection.isClosing) return;
    connection.requests += 1;
    // Node counts only the requests that it has read itself.
    if (connection.requests >= REQUESTS_PER_CONNECTION) connection.closeAfter(response);
    let headers: RequestHeaders | null = null;
    request.response = response;
    request.keyHeaders = this.#parts.keyHeaders();
    try {
      headers = readRequestHeaders(request.rawHeaders);
      checkFraming(request, headers, this.#parts.hostCheck());
    } catch (error) {
      connection.closeAfter(response);
      return this.#refuseUnread(request, response, headers, error, true);
    }
    let route: MatchedRoute | null;
    try {
      route = this.#parts.routes.match(request.url as string);
      if (route !== null && request.method === "POST") {
        const exchange = this.#exchangeOf(route, connection, request, response, headers);
        request.sink = exchange;
        return this.#run(route, connection, exchange);
      }
      if (route !== null && request.method !== "OPTIONS") {
        response.setHeader("allow", "POST, OPTIONS");
        throw new Failure("method_not_allowed", `Use POST for this path, not ${request.method}.`);
      }
    } catch (error) {
      const mustClose = !isDrainable(headers);
      if (mustClose) connection.closeAfter(response);
      return this.#refuseUnread(request, response, headers, error, mustClose);
    }
    connection.idleSinceMs = this.#parts.now();
    if (this.#drain.isLeaving || !isDrainable(headers)) connection.closeAfter(response);
    const { mounted } = this.#parts;
    if (mounted && isServedBy(mounted, request)) {
      const isRead = request.method === "GET" || request.method === "HEAD";
      const canBeShed = isRead && mounted.refuseRead !== undefined && !mounted.isAlwaysServed?.(request.url as string);
      const isShed = canBeShed && this.#parts.shedsReads?.() === true;
      return this.#handOver(
        isShed ? (mounted.refuseRead as RequestHandler) : mounted.handle,
        request,
        response,
        headers,
      );
    }
    if (request.method === "OPTIONS") answerPreflight(response);
    else this.#answerPage(request, response);
  }

  #exchangeOf(
    route: MatchedRoute,
    connection: Connection,
    request: ExchangeRequest,
    response: ExchangeResponse,
    headers: RequestHeaders,
  ): Exchange {
    const eventId = this.#parts.newEventId();
    const nowMs = this.#parts.now();
    const exchange = new Exchange(request, response, headers, route.pathModel, nowMs, eventId, connection.lastKey);
    exchange.words = route.operation.words ?? null;
    exchange.onEarlyFailure = this.#answerEarly;
    exchange.requestNumber = connection.requests;
    return exchange;
  }

  #run(route: MatchedRoute, connection: Connection, exchange: Exchange): void {
    this.#ongoing.calls += 1;
    connection.exchanges.push(exchange);
    // The handler always sends a response itself, so nothing awaits the promise.
    void this.#handle(route, connection, exchange);
  }

  /** Handles a request that is not a call. A drain waits for its response, too. */
  #answerPage(request: DirectBody, response: DirectResponse): void {
    this.#ongoing.pages += 1;
    response.once("close", () => {
      this.#ongoing.endPage();
    });
    this.#parts.rest(request, response);
  }

  /**
   * Passes a request to another handler. The request counts as a running call, so that a drain waits for its response.
   */
  #handOver(handle: RequestHandler, request: DirectBody, response: DirectResponse, headers: RequestHeaders): void {
    this.#ongoing.calls += 1;
    response.once("close", () => {
      this.#ongoing.endCall();
    });
    if (headers.expect !== null) response.writeContinue();
    handle(request, response);
  }

  async #handle(route: MatchedRoute, connection: Connection, exchange: Exchange): Promise<void> {
    try {
      if (this.#drain.isLeaving) connection.closeAfterLast(exchange);
      if (this.#drain.isDraining && this.#drain.refuses(connection))
        throw new Failure("shutting_down", "This instance is shutting down. Retry the request.");
      await route.operation.handle(exchange);
    } catch (error) {
      this.#answerError(exchange, connection, error);
    }
    exchange.end();
    this.connections.end(connection, exchange);
    this.#ongoing.endCall();
  }

  /**
   * Sends an early failure. One function serves all exchanges, because most calls would never use their own closure.
   */
  readonly #answerEarly = (exchange: Exchange, failure: Failure): void => {
    const connection = this.connections.of(exchange.request.socket);
    if (connection !== undefined) this.#answerError(exchange, connection, failure);
  };

  #answerError(exchange: Exchange, connection: Connection, error: unknown): void {
    const failure = this.#asFailure(error, exchange.callId);
    if (exchange.hasLeft) return;
    if (exchange.response.headersSent) {
      exchange.response.destroy();
      return;
    }
    const facts = failure.facts.detail ?? {};
    const mustClose = exchange.isBroken || (!exchange.hasWholeBody && !isDrainable(exchange.headers));
    if (mustClose) connection.closeAfter(exchange.response);
    else exchange.response.beforeHead?.();
    const isOverloaded = failure.code === "overloaded";
    const answer = isOverloaded && exchange.words === null ? sendPrebuiltFailure : answerFailure;
    answer(exchange.response, failure, {
      requestId: exchange.callId,
      docsUrl: this.#parts.docsUrl(hostOf(exchange.headers)),
      // For an internal request, another process of this instance parses the error code, so the code style configured
      // for clients doesn't apply.
      codeStyle: exchange.headers.internal === null ? this.#parts.codeStyle() : "semantic",
      mustClose,
      modelId: typeof facts.modelId === "string" ? facts.modelId : null,
      modelGroup: typeof facts.modelGroup === "string" ? facts.modelGroup : null,
      retries: typeof facts.retries === "number" ? facts.retries : null,
      maxRetries: typeof facts.maxRetries === "number" ? facts.maxRetries : null,
      fallbacks: typeof facts.fallbacks === "number" ? facts.fallbacks : null,
      timeoutSeconds: typeof facts.timeoutSeconds === "number" ? facts.timeoutSeconds : null,
      hasOrigin: exchange.headers.origin !== null,
      runUsage: exchange.runUsage,
      words: exchange.words,
    });
    if (isOverloaded) this.refusals.note(connection, exchange);
  }

  #refuseUnread(
    request: DirectBody,
    response: ServerResponse,
    headers: RequestHeaders | null,
    error: unknown,
    mustClose: boolean,
  ): void {
    const callId = this.#parts.newEventId();
    answerFailure(response, this.#asFailure(error, callId), {
      requestId: callId,
      docsUrl: this.#parts.docsUrl(this.#checkedHost(headers)),
      codeStyle: this.#parts.codeStyle(),
      mustClose,
      hasOrigin: headers !== null && headers.origin !== null,
      words: this.#wordsAt(request.url as string),
    });
  }

  /** Returns the host that the client used; null if it may be the reason for the refusal. */
  #checkedHost(headers: RequestHeaders | null): string | null {
    const host = headers === null ? null : hostOf(headers);
    return host !== null && this.#parts.hostCheck()(host) ? host : null;
  }

  /** Returns the error format of the API at this target, even for an invalid request. */
  #wordsAt(target: string): ErrorFormat | null {
    try {
      return this.#parts.routes.match(target)?.operation.words ?? null;
    } catch {
      return null;
    }
  }

  #asFailure(error: unknown, callId: string): Failure {
    if (error instanceof Failure) return error;
    this.#parts.onUnexpected(error, callId);
    return new Failure("internal_error", "An internal error occurred. Include the call ID when you report it.");
  }
}
