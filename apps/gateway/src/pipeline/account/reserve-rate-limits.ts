import { countPrompt } from "../../rate-limits/count-tokens.ts";
import { describeRefusal } from "../../rate-limits/describe-refusal.ts";
import type { RateLimitReservation, Refusal } from "../../rate-limits/limit.ts";
import type { Call } from "../call.ts";
import type { AccountingContext } from "./accounting.ts";

/**
 * Reserves rate limit capacity for the call's key, team, and organization. Returns null if no limits apply. Throws if
 * the call exceeds a limit.
 */
export function reserveRateLimits(
  accounting: AccountingContext,
  call: Call,
  inputTokens: number,
): RateLimitReservation | null | Promise<RateLimitReservation> {
  const set = accounting.limits.limitsOf(call.caller);
  if (set === null) return null;
  const tokens = countPrompt(accounting.settings().general.tokenRateLimitType, inputTokens);
  const taken = accounting.limits.take(set, call.model.name, tokens);
  return taken instanceof Promise ? taken.then(accept) : accept(taken);
}

function accept(taken: RateLimitReservation | Refusal): RateLimitReservation {
  if (taken.kind === "taken") return taken;
  throw describeRefusal(taken);
}
