import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ErrorCodeStyle } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ErrorFormat } from "../operations/operation-kind.ts";
import { answerFailure, sendPrebuiltFailure } from "./answer-failure.ts";
import { answerPreflight } from "./answer-preflight.ts";
import { describeUnparsable, writeUnparsable } from "./answer-unparsable.ts";
import { type Connection, Connections, type LateRequestLimits } from "./connections.ts";
import { DirectBody } from "./direct-body.ts";
import { DirectResponse } from "./direct-response.ts";
import { Exchange } from "./exchange.ts";
import { nextPoll } from "./next-poll.ts";
import { OngoingAnswers } from "./ongoing-answers.ts";
import { RefusalThrottle } from "./refusal-throttle.ts";
import { type RequestHeaders, readRequestHeaders } from "./request-headers.ts";
import type { MatchedRoute, RouteTable } from "./route-table.ts";
import { type TlsIdentity, toTlsOptions } from "./tls-identity.ts";
import type { UnattendedCalls } from "./unattended-calls.ts";

const MAX_HEADER_BYTES = 32 * 1024;
const MAX_TARGET_LENGTH = 4 * 1024;
const DEFAULT_TIMEOUTS: ServerTimeouts = { headersMs: 10_000, requestMs: 30_000 };
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
/**
 * Maximum size of an unread body that is discarded after a refusal. For a larger body, the connection closes. If the
 * client is still sending, this resets the connection, and many clients then report the reset instead of the refusal.
 */
const DRAINED_BODY_BYTES = 1024 * 1024;
/**
 * Time for a client to send one more request on a keep-alive connection during a drain. The connection then closes, so
 * the time is longer if other processes have already taken over. Most clients don't reuse a connection after 5 s.
 */
const LATE_REQUEST_MS = { alone: 500, othersListen: 5_000 };
/**
 * Time for a client to send the first request on a new connection during a drain. On a busy machine, this may take
 * seconds.
 */
const FIRST_REQUEST_MS = 5_000;
/** Interval at which a drain checks for open connections. */
const DRAIN_LOOK_MS = 25;
/** Time for overdue calls to send a failure and for clients to read it. */
const LAST_WORDS_MS = 1_000;
/**
 * Matches a valid count of the gateways that a call has passed through. Any other value is forged or comes from a loop.
 */
const FEW_HOPS = /^[0-3]$/;

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for specific path prefixes. Handles all methods and uses its own response format. */
export interface MountedHandler {
  /** Path prefixes such as `/api`, including everything below them. */
  readonly prefixes: readonly string[];
  /** Excluded paths below the prefixes. */
  readonly except?: readonly string[];
  readonly handle: RequestHandler;
  /**
   * Under overload, receives read requests instead of `handle`. Refuses all of them except requests that must always be
   * served.
   */
  readonly refuseRead?: RequestHandler;
}

/** Maximum times for receiving the head of a request and the whole request. */
export interface ServerTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

export interface ServerParts {
  readonly routes: RouteTable;
  /** Handles all non-inference requests. */
  readonly rest: RequestHandler;
  /** Other handlers with their own path prefixes, such as `/api`; null if there are none. */
  readonly mounted?: MountedHandler | null;
  /** Omitted for plain HTTP. */
  readonly tls?: TlsIdentity | null;
  readonly isAllowedHost: (host: string) => boolean;
  readonly keyHeaders: () => readonly string[];
  readonly maxConnectionsPerAddress: () => number;
  /**
   * Reports whether an address belongs to a proxy for many clients. Connections from such an address are not limited.
   */
  readonly isProxy?: (address: string) => boolean;
  /** Reports whether read requests are shed because of overload. */
  readonly shedsReads?: () => boolean;
  readonly timeouts?: ServerTimeouts;
  readonly codeStyle: () => ErrorCodeStyle;
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
  #isLeaving = false;
  #isDraining = false;
  /**
   * Start of the drain. Clients that connected earlier were never asked to disconnect, so each may send one more call.
   */
  #drainingSinceMs = Number.POSITIVE_INFINITY;
  #servesLate = false;

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
    const options = {
      IncomingMessage: DirectBody,
      ServerResponse: DirectResponse,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // A periodic sweep over all connections replaces Node's timer per response.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: 1_000,
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
    this.server.on(arrival, (socket: Socket) => this.connections.add(socket));
    if (tls !== null) this.server.on("connection", (socket: Socket) => this.#keepBeneath(socket));
    this.server.on("request", (request: DirectBody, response) => this.#receive(request, response));
    // The operation decides whether it needs the body. Until then, the client gets no 100 Continue.
    this.server.on("checkContinue", (request: DirectBody, response) => this.#receive(request, response));
    this.server.on("checkExpectation", (request: DirectBody, response) => this.#receive(request, response));
    // Without an upgrade listener, upgrade requests arrive like any other request and are refused.
    this.server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => this.#endBroken(error, socket));
  }

  /** Uses this certificate for new connections. Open connections are unaffected. */
  renewTls(identity: TlsIdentity): void {
    if ("setSecureContext" in this.server) this.server.setSecureContext(toTlsOptions(identity));
  }

  get liveCalls(): number {
    return this.#ongoing.calls;
  }

  /**
   * Makes every response the last one on its connection, so that clients reconnect and load balancers route them
   * elsewhere.
   */
  announceLeaving(): void {
    this.#isLeaving = true;
    this.connections.closeAfterAnswers();
  }

  /**
   * Stops accepting new calls and resolves when the running calls have ended, or at the deadline. If other processes
   * listen on the same socket, they get new connections from now on, and this process still serves the connections that
   * it has already accepted. Otherwise, it refuses calls on new connections.
   */
  async drain(timeoutMs: number, othersListen: boolean): Promise<void> {
    this.announceLeaving();
    this.#isDraining = true;
    this.#drainingSinceMs = this.#parts.now();
    this.#servesLate = othersListen;
    if (othersListen) this.#stopListening();
    // If the drain timeout is short, wait less for requests that may still arrive.
    const limits = {
      firstMs: Math.min(FIRST_REQUEST_MS, timeoutMs / 20),
      nextMs: Math.min(othersListen ? LATE_REQUEST_MS.othersListen : LATE_REQUEST_MS.alone, timeoutMs / 20),
    };
    const deadlineMs = this.#drainingSinceMs + timeoutMs;
    while (await this.#ongoing.idleWithin(deadlineMs - this.#parts.now())) {
      const isExpecting = this.#parts.now() < Math.min(this.#expectingUntilMs(limits), deadlineMs);
      // Before it closes any connection, the server reads all bytes that have arrived.
      await (isExpecting ? pause(DRAIN_LOOK_MS) : nextPoll());
      if (!isExpecting && this.#ongoing.isIdle) return;
    }
    const failure = new Failure(
      "shutting_down",
      "This instance is shutting down and could not finish the response. Retry the request.",
    );
    this.connections.cutAll(failure);
    this.#parts.unattended.cutAll(failure);
    await this.#ongoing.idleWithin(LAST_WORDS_MS);
  }

  /** Returns the time until which clients connected before the drain may send another request. */
  #expectingUntilMs(limits: LateRequestLimits): number {
    const sinceMs = this.#drainingSinceMs;
    const openedBeforeMs = this.#servesLate ? Number.POSITIVE_INFINITY : sinceMs;
    const untilMs = this.connections.expectingUntilMs(sinceMs, limits, openedBeforeMs);
    const hasHandshakes = this.#beneath.size > this.connections.size;
    return hasHandshakes ? Math.max(untilMs, sinceMs + limits.firstMs) : untilMs;
  }

  get isDraining(): boolean {
    return this.#isDraining;
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

  #receive(request: DirectBody, response: DirectResponse): void {
    const connection = this.connections.of(request.socket);
    // After a response that closes the connection, further bytes are not treated as requests.
    if (connection === undefined || connection.isClosing) return;
    connection.requests += 1;
    let headers: RequestHeaders | null = null;
    request.response = response;
    request.keyHeaders = this.#parts.keyHeaders();
    try {
      headers = readRequestHeaders(request.rawHeaders);
      this.#checkFraming(request, headers);
    } catch (error) {
      connection.closeAfter(response);
      return this.#refuseUnread(request, response, headers, error, true);
    }
    let route: MatchedRoute | null;
    try {
      route = this.#parts.routes.match(request.url as string);
      if (route !== null && request.method === "POST") return this.#run(route, connection, request, response, headers);
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
    if (this.#isLeaving || !isDrainable(headers)) connection.closeAfter(response);
    const { mounted } = this.#parts;
    if (mounted && isUnder(mounted, request.url as string)) {
      const isRead = request.method === "GET" || request.method === "HEAD";
      const isShed = isRead && mounted.refuseRead !== undefined && this.#parts.shedsReads?.() === true;
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

  #run(
    route: MatchedRoute,
    connection: Connection,
    request: DirectBody,
    response: DirectResponse,
    headers: RequestHeaders,
  ): void {
    const eventId = this.#parts.newEventId();
    const nowMs = this.#parts.now();
    const exchange = new Exchange(request, response, headers, route.pathModel, nowMs, eventId, connection.lastKey);
    exchange.words = route.operation.words ?? null;
    exchange.onEarlyFailure = this.#answerEarly;
    exchange.requestNumber = connection.requests;
    request.sink = exchange;
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
      if (this.#isLeaving) connection.closeAfterLast(exchange);
      if (this.#isDraining && !this.#servesLate && connection.openedAtMs >= this.#drainingSinceMs)
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
      callId: exchange.callId,
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
      callId,
      codeStyle: this.#parts.codeStyle(),
      mustClose,
      hasOrigin: headers !== null && headers.origin !== null,
      words: this.#wordsAt(request.url as string),
    });
  }

  /** Returns the error format of the API at this target, even for an invalid request. */
  #wordsAt(target: string): ErrorFormat | null {
    try {
      return this.#parts.routes.match(target)?.operation.words ?? null;
    } catch {
      return null;
    }
  }

  /** Handles a parser error. Pending responses are sent in order, then the connection closes. */
  #endBroken(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") this.#endOverdue(error, socket);
    else this.#endUnparsable(error, socket);
  }

  /**
   * Ends an overdue connection. Node checks timeouts before it reads, so a delayed process first reads the bytes that
   * may have arrived in time.
   */
  #endOverdue(error: NodeJS.ErrnoException, socket: Socket): void {
    const before = this.connections.of(socket)?.requests ?? 0;
    const incoming = incomingOf(socket);
    const lacksBody = incoming !== null && !incoming.complete;
    setImmediate(() => {
      const hasArrived = lacksBody || (this.connections.of(socket)?.requests ?? 0) > before;
      const isWhole = hasArrived && incomingOf(socket)?.complete !== false;
      if (!isWhole && !socket.destroyed) this.#endUnparsable(error, socket);
    });
  }

  #endUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.connections.of(socket);
    const failure = describeUnparsable(error.code);
    if (connection === undefined || failure === null) {
      socket.destroy();
      return;
    }
    const incoming = incomingOf(socket);
    // Node's timeout applies to all bodies and fires once. File uploads have a longer timeout, which is checked
    // together with their transfer rate.
    const isOfAll = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (isOfAll && incoming?.sink instanceof Exchange && incoming.sink.isUploading) return;
    const response = incoming?.response ?? null;
    const hasNoRequest = incoming === null || response === null;
    // The last response has been sent or is about to be sent, and the client has not disconnected yet.
    if (!socket.writable || (hasNoRequest && connection.isClosing)) return;
    if (hasNoRequest) connection.end(writeUnparsable(failure, this.#parts.newEventId()));
    // The invalid bytes follow a complete request.
    else if (incoming.complete) connection.closeAfter(response);
    else if (response.headersSent) socket.destroy();
    else if (incoming.sink instanceof Exchange) incoming.sink.breakBody(failure);
    else connection.end(writeUnparsable(failure, this.#parts.newEventId()));
  }

  #asFailure(error: unknown, callId: string): Failure {
    if (error instanceof Failure) return error;
    this.#parts.onUnexpected(error, callId);
    return new Failure("internal_error", "An internal error occurred. Include the call ID when you report it.");
  }

  /** Rejects everything that two chained parsers could interpret differently. Applies to all routes. */
  #checkFraming(request: DirectBody, headers: RequestHeaders): void {
    const hasBody = headers.contentLength !== null || headers.transferEncoding !== null;
    if (request.httpVersionMajor !== 1) {
      throw new Failure("invalid_request", "Only HTTP/1.1 and HTTP/1.0 are supported.");
    }
    if ((request.url as string).length > MAX_TARGET_LENGTH) {
      throw new Failure("headers_too_large", "The request target is too long.");
    }
    if (!(request.url as string).startsWith("/")) {
      throw new Failure("invalid_request", "The request target must be a path.");
    }
    if (headers.upgrade !== null) throw new Failure("invalid_request", "Protocol upgrades are not supported.");
    if (request.httpVersionMinor === 0 && hasBody) {
      throw new Failure("invalid_request", "HTTP/1.0 requests with a body are not supported.");
    }
    if (headers.transferEncoding !== null && headers.transferEncoding.toLowerCase() !== "chunked") {
      throw new Failure("invalid_request", "The only supported transfer coding is chunked.");
    }
    if (headers.contentEncoding !== null && headers.contentEncoding.toLowerCase() !== "identity") {
      throw new Failure("unsupported_media_type", "Send the body without a content encoding.");
    }
    if (headers.expect !== null && headers.expect.toLowerCase() !== "100-continue") {
      throw new Failure("invalid_request", "The only supported expectation is 100-continue.");
    }
    if (headers.host === null) throw new Failure("invalid_request", "The Host header is missing.");
    if (!this.#parts.isAllowedHost(headers.host)) {
      throw new Failure("misdirected_request", "This instance does not serve the host in the Host header.");
    }
    if (headers.hops !== null && !FEW_HOPS.test(headers.hops)) {
      throw new Failure("loop_detected", "The request returned to this gateway through one of its own deployments.");
    }
    if (request.method === "TRACE" || request.method === "CONNECT") {
      throw new Failure("method_not_allowed", `Method ${request.method} is not supported.`);
    }
  }
}

/** Returns the current or last request on a connection. */
function incomingOf(socket: Socket): DirectBody | null {
  return (socket as Socket & { parser?: { incoming: DirectBody | null } }).parser?.incoming ?? null;
}

function isUnder({ prefixes, except }: MountedHandler, target: string): boolean {
  const isBelow = prefixes.some(
    (prefix) =>
      target.startsWith(prefix) && (target.length === prefix.length || "/?".includes(target.charAt(prefix.length))),
  );
  return isBelow && (except === undefined || !except.includes(target.split("?", 1)[0] as string));
}

/**
 * Reports whether an unread body is small enough to discard after the response, so that the connection stays usable.
 */
export function isDrainable(headers: RequestHeaders): boolean {
  if (headers.expect !== null) return false;
  if (headers.transferEncoding !== null) return false;
  return headers.contentLength === null || Number(headers.contentLength) <= DRAINED_BODY_BYTES;
}
