/** No model takes or gives this many tokens in one call, so a larger count is not a count. */
const MAX_TOKENS = 1_000_000_000;

/** Whether what an upstream reports can be a number of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
