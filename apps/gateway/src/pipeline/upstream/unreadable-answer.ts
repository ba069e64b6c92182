import { Failure } from "@tollgate/contracts/failures.ts";

/** What a call is answered whose upstream sent something that its translation could not read; a Failure stays what it is. */
export function malformedResponse(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("bad_gateway", "The model sent an invalid response.", { cause });
}
