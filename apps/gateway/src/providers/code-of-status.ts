import type { FailureCode } from "@tollgate/contracts/failures.ts";

/** Maps an upstream HTTP status to a failure code. Providers that give a status a special meaning map it themselves. */
export function codeOfStatus(status: number): FailureCode {
  if (status === 404) return "model_not_found";
  if (status === 408 || status === 504) return "timeout";
  if (status === 422) return "unprocessable_entity";
  if (status === 429) return "upstream_rate_limit";
  if (status === 500) return "internal_error";
  // Redirects are never followed, and 200 is the only success status, so every other status below 400 is an error.
  if (status === 502 || status < 400) return "bad_gateway";
  return status >= 500 ? "service_unavailable" : "invalid_request";
}

/** Error messages for callers when the provider's own message isn't passed on. */
export const plainMessages: Partial<Record<FailureCode, string>> = {
  internal_error: "The model failed to respond.",
  service_unavailable: "The model is temporarily unavailable.",
  bad_gateway: "The model returned an invalid response.",
  timeout: "The model did not respond in time.",
  upstream_rate_limit: "The provider's rate limit was reached.",
  model_not_found: "The provider does not recognize the model.",
};
