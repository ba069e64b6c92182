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
import { RefusalThrottle } from "./refusal-pace.ts";
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
/** What may wait for all clients together. */
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;
/** What may wait for a client that reads slowly before its model is told to wait too; with one read on top, 64 KiB and more. */
const UNSENT_BYTES = 32 * 1024;
/**
 * Up to this much of an unread body is thrown away after a refusal. Closing instead resets the connection under a client
 * that still sends, and many then report the reset and not the refusal.
 */
const DRAINED_BODY_BYTES = 1024 * 1024;
/**
 * How long a connection that was never told to close has to send one more request. A request that comes later meets a
 * closed connection, so it is longer where nobody waits for this process. Most clients reuse no connection after 5 s.
 */
const LATE_REQUEST_MS = { alone: 500, othersListen: 5_000 };
/** The same for a connection that has sent nothing: on a busy machine its client takes seconds to go on. */
const FIRST_REQUEST_MS = 5_000;
/** How often a drain looks whether everybody has left. */
const DRAIN_LOOK_MS = 25;
/** What is left for the last words of calls that did not end in time, and for clients to take them. */
const LAST_WORDS_MS = 1_000;
/** How often a call may have passed a gateway of this kind; anything but a small number is a forgery. */
const FEW_HOPS = /^[0-3]$/;

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A part of the server that answers for itself, in its own form, whatever the method. */
export interface MountedHandler {
  /** Such as `/api`: that path and everything below it. */
  readonly prefixes: readonly string[];
  /** Single paths below those that are not its own. */
  readonly except?: readonly string[];
  readonly handle: RequestHandler;
  /** Answers a request that only reads, when there is no time for it. What is never refused is handled instead. */
  readonly refuseRead?: RequestHandler;
}

/** How long a request may take to arrive: its head, and all of it. */
export interface ServerTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

export interface ServerParts {
  readonly routes: RouteTable;
  /** Everything that is not an inference route. */
  readonly rest: RequestHandler;
  /** Whoever else lives on this server under prefixes of their own, such as `/api`; null where nobody does. */
  readonly mounted?: MountedHandler | null;
  /** Left out where clients speak plain HTTP. */
  readonly tls?: TlsIdentity | null;
  readonly isAllowedHost: (host: string) => boolean;
  readonly keyHeaders: () => readonly string[];
  readonly maxConnectionsPerAddress: () => number;
  /** Whether an address speaks for many clients, so that its connections are not counted. */
  readonly isProxy?: (address: string) => boolean;
  /** Whether there is no time for requests that only read. */
  readonly shedsReads?: () => boolean;
  readonly timeouts?: ServerTimeouts;
  readonly codeStyle: () => ErrorCodeStyle;
  readonly newEventId: () => string;
  readonly now: () => number;
  /** The calls whose clients have left, which a drain ends when its time is over. */
  readonly unattended: UnattendedCalls;
  /** A bug: logged with what is known, never shown. */
  readonly onUnexpected: (error: unknown, callId: string) => void;
}

type EdgeServer =
  | Server<typeof DirectBody, typeof DirectResponse>
  | TlsServer<typeof DirectBody, typeof DirectResponse>;

/** The gateway's HTTP server: strict framing, named limits, inference routes on the fast path, the rest handed on. */
export class HttpServer {
  readonly server: EdgeServer;
  readonly connections: Connections;
  readonly refusals: RefusalThrottle;
  readonly #parts: ServerParts;
  /** Under TLS: what is below the connections, and those who have not finished their handshake and are none yet. */
  readonly #beneath = new Set<Socket>();
  readonly #ongoing = new OngoingAnswers();
  #isLeaving = false;
  #isDraining = false;
  /** Connections that were there before this were never told to close, so each may send one more call. */
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
      // One sweep over all connections replaces a timer per answer.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: 1_000,
      // Checked below with the rest of the framing, so that this refusal has a body like every other.
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
    // Those who have not proven what they speak are nobody yet; the handshake has its own limit.
    const arrival = tls === null ? "connection" : "secureConnection";
    this.server.on(arrival, (socket: Socket) => this.connections.add(socket));
    if (tls !== null) this.server.on("connection", (socket: Socket) => this.#keepBeneath(socket));
    this.server.on("request", (request: DirectBody, response) => this.#receive(request, response));
    // The operation decides whether it wants the body; until then the client is not told to send it.
    this.server.on("checkContinue", (request: DirectBody, response) => this.#receive(request, response));
    this.server.on("checkExpectation", (request: DirectBody, response) => this.#receive(request, response));
    // Nobody listens for upgrades, so those requests come as any other and are refused in their turn.
    this.server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => this.#endBroken(error, socket));
  }

  /** Connections from now on see this certificate; those that are open stay. */
  renewTls(identity: TlsIdentity): void {
    if ("setSecureContext" in this.server) this.server.setSecureContext(toTlsOptions(identity));
  }

  get liveCalls(): number {
    return this.#ongoing.calls;
  }

  /** Every answer is the last of its connection from now on: clients make new ones, which balancers send elsewhere. */
  announceLeaving(): void {
    this.#isLeaving = true;
    this.connections.closeAfterAnswers();
  }

  /**
   * Takes no new calls and resolves when the running ones have ended, by themselves or because the time is over. Where
   * others listen on the same socket, they get the new connections from now on, and what this process took before is still
   * served; alone, it says on new connections that it is going away.
   */
  async drain(timeoutMs: number, othersListen: boolean): Promise<void> {
    this.announceLeaving();
    this.#isDraining = true;
    this.#drainingSinceMs = this.#parts.now();
    this.#servesLate = othersListen;
    if (othersListen) this.#stopListening();
    // Whoever is in a hurry waits for nobody who might still come.
    const limits = {
      firstMs: Math.min(FIRST_REQUEST_MS, timeoutMs / 20),
      nextMs: Math.min(othersListen ? LATE_REQUEST_MS.othersListen : LATE_REQUEST_MS.alone, timeoutMs / 20),
    };
    const deadlineMs = this.#drainingSinceMs + timeoutMs;
    while (await this.#ongoing.idleWithin(deadlineMs - this.#parts.now())) {
      const isExpecting = this.#parts.now() < Math.min(this.#expectingUntilMs(limits), deadlineMs);
      // Whatever has arrived is read before anything is closed.
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

  /** Until when clients that were here before the drain may send another request. */
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

  /** Node's way to close an HTTP server also destroys connections whose last answer the client has not taken yet. */
  #stopListening(onClosed: () => void = () => {}): void {
    NetServer.prototype.close.call(this.server, onClosed);
  }

  /** A server waits for each of them before it is closed, and they could take all the time of a handshake. */
  #keepBeneath(socket: Socket): void {
    this.#beneath.add(socket);
    socket.once("close", () => this.#beneath.delete(socket));
  }

  #receive(request: DirectBody, response: DirectResponse): void {
    const connection = this.connections.of(request.socket);
    // Behind an answer that closes the connection nothing is a request any more, whatever it looks like.
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
    // Ends in an answer whatever happens, so there is nothing to wait for.
    void this.#handle(route, connection, exchange);
  }

  /** No call, but a drain waits for its answer too: what was written must not end in a broken connection. */
  #answerPage(request: DirectBody, response: DirectResponse): void {
    this.#ongoing.pages += 1;
    response.once("close", () => {
      this.#ongoing.endPage();
    });
    this.#parts.rest(request, response);
  }

  /** Counted among the running calls, so that a drain waits for its answer. */
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

  /** One function for all exchanges, so that a call does not pay for a closure that few calls use. */
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
      // Another process of ours reads the code, whatever style this installation's clients want.
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

  /** How the interface words a failure that this target belongs to, whatever is wrong with the request. */
  #wordsAt(target: string): ErrorFormat | null {
    try {
      return this.#parts.routes.match(target)?.operation.words ?? null;
    } catch {
      return null;
    }
  }

  /** The parser cannot go on. Whoever still waits for an answer gets it, in order, and then the connection closes. */
  #endBroken(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") this.#endOverdue(error, socket);
    else this.#endUnparsable(error, socket);
  }

  /** Node checks these times before it reads, so a process that was late reads once more what may have come in time. */
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
    // Node's limit is one for all bodies and comes once; a file has a longer one, which is watched with its pace.
    const isOfAll = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (isOfAll && incoming?.sink instanceof Exchange && incoming.sink.isUploading) return;
    const response = incoming?.response ?? null;
    const hasNoRequest = incoming === null || response === null;
    // Its last answer was sent, or will be: these bytes come from a client that has not noticed.
    if (!socket.writable || (hasNoRequest && connection.isClosing)) return;
    if (hasNoRequest) connection.end(writeUnparsable(failure, this.#parts.newEventId()));
    // These bytes came behind a request that is whole.
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

  /** What two parsers in a row could read differently is refused, whatever the route. */
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

/** The request that a connection carries or carried last. */
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

/** Whether an unread body is small enough to be drained after the answer, so that the connection stays usable. */
export function isDrainable(headers: RequestHeaders): boolean {
  if (headers.expect !== null) return false;
  if (headers.transferEncoding !== null) return false;
  return headers.contentLength === null || Number(headers.contentLength) <= DRAINED_BODY_BYTES;
}
