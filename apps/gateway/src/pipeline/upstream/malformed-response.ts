import { Failure } from "@tollgate/contracts/failures.ts";

/** Converts a translation error to the failure for a malformed response. Returns a Failure unchanged. */
export function malformedResponse(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("bad_gateway", "The model sent an invalid response.", { cause });
}
