import { Failure } from "@tollgate/contracts/failures.ts";

/** Converts an error of a translation into the failure for a malformed response; a Failure is returned as is. */
export function malformedResponse(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("bad_gateway", "The model sent an invalid response.", { cause });
}
