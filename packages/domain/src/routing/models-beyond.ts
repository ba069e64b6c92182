import { NO_MODELS } from "../figures/key-state.ts";
import { matchPattern } from "./match-pattern.ts";

/**
 * Returns the entries of a list that another list doesn't permit. If the other list is empty, it permits all models. A
 * pattern is within another pattern if the other pattern matches it as literal text, because the other pattern's stars
 * then cover its stars.
 */
export function modelsBeyond(entries: readonly string[], bound: readonly string[]): readonly string[] {
  if (bound.length === 0 || bound.includes("all-proxy-models")) return [];
  return entries.filter((entry) => {
    // `all-team-models` and `no-default-models` grant no models beyond the team's.
    if (entry === "all-team-models" || entry === NO_MODELS) return false;
    if (entry === "all-proxy-models") return true;
    return !bound.some((other) => other === entry || (other.includes("*") && matchPattern(other, entry) !== null));
  });
}
