import { Failure } from "@tollgate/contracts/failures.ts";

/** An answer that is not what the provider says it answers. */
export function unreadable(cause?: unknown): Failure {
  return new Failure("bad_gateway", "The model returned an invalid response.", { cause });
}
