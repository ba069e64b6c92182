import { Failure } from "@tollgate/contracts/failures.ts";
import type { Call } from "./call.ts";
import type { RepeatClaims } from "./repeat-claims.ts";

/** Sends what the first call with this Idempotency-Key was answered, and tells whether it did. */
export async function answerRepeated(repeats: RepeatClaims | null, _call: Call): Promise<boolean> {
  if (repeats === null) throw new Failure("invalid_request", "Idempotency-Key needs a database.");
  return false;
}
