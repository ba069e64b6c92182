import type { Socket } from "node:net";
import { toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure, failures } from "@tollgate/contracts/failures.ts";
import { VERSION } from "../version.ts";

/** What is wrong with a request the parser could not read; null when the connection itself broke. */
export function describeUnparsable(code: string | undefined): Failure | null {
  if (code === "HPE_HEADER_OVERFLOW") return new Failure("headers_too_large", "The header block is too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Failure("timeout", "The request was not complete in time.");
  if (code?.startsWith("HPE_")) return new Failure("invalid_request", "The request is not valid HTTP.");
  return null;
}

/** Answers where there is no request to answer, then closes: nothing that follows on this connection can be trusted. */
export function answerUnparsable(socket: Socket, failure: Failure, callId: string): void {
  const body = JSON.stringify(toErrorBody(failure, "semantic"));
  socket.end(
    `HTTP/1.1 ${failure.status} ${failures[failure.code].name}\r\n` +
      "content-type: application/json\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      `x-gw-call-id: ${callId}\r\n` +
      `x-gw-error-name: ${failures[failure.code].name}\r\n` +
      `x-gw-version: ${VERSION}\r\n` +
      "connection: close\r\n\r\n" +
      body,
    () => socket.destroy(),
  );
}
