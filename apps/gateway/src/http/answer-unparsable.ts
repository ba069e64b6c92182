import type { Socket } from "node:net";
import { type ErrorContext, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { gatewayKindOf } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { bodyCutOff } from "../call/client-disconnected.ts";
import { Exchange } from "../call/exchange.ts";
import { VERSION } from "../call/version.ts";
import type { Connection, Connections } from "./connections.ts";
import type { DirectBody } from "./direct-http.ts";

/** What the error of an unreadable request needs. Its Host header is not known. */
interface UnparsableParts {
  readonly newEventId: () => string;
  readonly docsUrl: () => string;
}

/** Ends a connection whose first request did not arrive in time. */
export function refuseLate(connection: Connection, parts: UnparsableParts): void {
  const failure = new Failure("timeout", "The request was not received in time.");
  connection.end(writeUnparsable(failure, contextOf(parts)));
}

/** Handles a parser error. Pending responses are sent in order, then the connection closes. */
export function answerUnparsable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connections: Connections,
  parts: UnparsableParts,
): void {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") endOverdue(error, socket, connections, parts);
  else endUnparsable(error, socket, connections, parts);
}

/**
 * Ends an overdue connection. Node checks timeouts before it reads, so a delayed process first reads the bytes that
 * may have arrived in time.
 */
function endOverdue(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connections: Connections,
  parts: UnparsableParts,
): void {
  const before = connections.of(socket)?.requests ?? 0;
  const incoming = incomingOf(socket);
  const lacksBody = incoming !== null && !incoming.complete;
  setImmediate(() => {
    const hasArrived = lacksBody || (connections.of(socket)?.requests ?? 0) > before;
    const isWhole = hasArrived && incomingOf(socket)?.complete !== false;
    if (!isWhole && !socket.destroyed) endUnparsable(error, socket, connections, parts);
  });
}

function endUnparsable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connections: Connections,
  parts: UnparsableParts,
): void {
  const connection = connections.of(socket);
  const failure = describeUnparsable(error.code);
  if (connection === undefined || failure === null) {
    socket.destroy();
    return;
  }
  const incoming = incomingOf(socket);
  // Node's timeout applies to all bodies and fires once. File uploads have a longer timeout, which is checked
  // together with their transfer rate.
  const isOfAll = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  if (isOfAll && incoming?.sink instanceof Exchange && incoming.sink.isReadInChunks) return;
  const response = incoming?.response ?? null;
  const hasNoRequest = incoming === null || response === null;
  // The last response has been sent or is about to be sent, and the client has not disconnected yet.
  if (!socket.writable || (hasNoRequest && connection.isClosing)) return;
  if (hasNoRequest) connection.end(writeUnparsable(failure, contextOf(parts)));
  // The invalid bytes follow a complete request.
  else if (incoming.complete) connection.closeAfter(response);
  else if (response.headersSent) socket.destroy();
  else if (incoming.sink instanceof Exchange) incoming.sink.breakBody(failure);
  else connection.end(writeUnparsable(failure, contextOf(parts)));
}

/** Returns the current or last request on a connection. */
function incomingOf(socket: Socket): DirectBody | null {
  return (socket as Socket & { parser?: { incoming: DirectBody | null } }).parser?.incoming ?? null;
}

/** Returns the failure for a request that the parser could not read, or null if the connection itself failed. */
function describeUnparsable(code: string | undefined): Failure | null {
  if (code === "HPE_HEADER_OVERFLOW") return new Failure("headers_too_large", "The request headers exceed 32 KB.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Failure("timeout", "The request was not received in time.");
  if (code === "HPE_INVALID_EOF_STATE") return bodyCutOff();
  if (code?.startsWith("HPE_")) return new Failure("invalid_request", "The request is not valid HTTP.");
  return null;
}

/** Returns an error response as bytes, for connections without a readable request. */
function writeUnparsable(failure: Failure, context: ErrorContext): string {
  const body = JSON.stringify(toErrorBody(failure, "semantic", context));
  const { status, name } = gatewayKindOf(failure.code);
  return [
    `HTTP/1.1 ${status} ${name}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-gw-call-id: ${context.requestId}`,
    `x-gw-error-name: ${name}`,
    `x-gw-version: ${VERSION}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

function contextOf({ newEventId, docsUrl }: UnparsableParts): ErrorContext {
  return { requestId: newEventId(), docsUrl: docsUrl() };
}
