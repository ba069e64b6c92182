import { Failure } from "@tollgate/contracts/failures.ts";

/** Creates the failure that ends a call after its client has disconnected. It controls the flow and is never sent. */
export function clientDisconnected(): Failure {
  return new Failure("invalid_request", "The client closed the connection.");
}
