import { Failure } from "@tollgate/contracts/failures.ts";

/** What ends a call that nobody waits for any more. Nobody reads it: it is thrown to leave. */
export function clientDisconnected(): Failure {
  return new Failure("invalid_request", "The client closed the connection.");
}
