import { Failure } from "@tollgate/contracts/failures.ts";

/** Creates the failure for a response that doesn't match the provider's documented format. */
export function unreadable(cause?: unknown): Failure {
  return new Failure("bad_gateway", "The model returned an invalid response.", { cause });
}
