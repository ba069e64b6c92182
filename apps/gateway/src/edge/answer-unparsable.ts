import { toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { Failure, failures } from "@tollgate/contracts/failures.ts";
import { VERSION } from "../version.ts";

/** Returns the failure for a request that the parser could not read, or null if the connection itself failed. */
export function describeUnparsable(code: string | undefined): Failure | null {
  if (code === "HPE_HEADER_OVERFLOW") return new Failure("headers_too_large", "The request headers exceed 32 KB.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Failure("timeout", "The request was not received in time.");
  if (code?.startsWith("HPE_")) return new Failure("invalid_request", "The request is not valid HTTP.");
  return null;
}

/** Returns an error response as bytes, for connections without a readable request. */
export function writeUnparsable(failure: Failure, callId: string): string {
  const body = JSON.stringify(toErrorBody(failure, "semantic"));
  return [
    `HTTP/1.1 ${failure.status} ${failures[failure.code].name}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-gw-call-id: ${callId}`,
    `x-gw-error-name: ${failures[failure.code].name}`,
    `x-gw-version: ${VERSION}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
