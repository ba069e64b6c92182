import { Failure } from "@tollgate/contracts/failures.ts";

const LEFT = { hasClientLeft: true } as const;

/** Creates the failure that ends a call after its client has disconnected. It controls the flow and is never sent. */
export function clientDisconnected(): Failure {
  return new Failure("invalid_request", "The client closed the connection.", { detail: LEFT });
}

/**
 * Creates the failure of a request whose client ended its side of the connection within the body. Most such clients have
 * disconnected, but one that still reads gets the failure.
 */
export function bodyCutOff(): Failure {
  return new Failure("invalid_request", "The request is not valid HTTP.", { detail: LEFT });
}

/** Reports whether a call failed because its client disconnected, or ended the connection within the body. */
export function hasClientLeft(error: unknown): boolean {
  return error instanceof Failure && error.facts.detail?.hasClientLeft === true;
}
