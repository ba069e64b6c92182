/** Upper bound for a plausible token count. No model uses this many tokens in one call. */
const MAX_TOKENS = 1_000_000_000;

/** Reports whether a value reported by an upstream can be a token count. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
