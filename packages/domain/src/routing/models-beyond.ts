import { matchPattern } from "./match-pattern.ts";

/**
 * The entries of a list that reach beyond another list; an empty other list bounds nothing. A pattern lies within
 * another one when that one matches it sign for sign: whatever its stars stand for, the other's stars cover.
 */
export function modelsBeyond(entries: readonly string[], bound: readonly string[]): readonly string[] {
  if (bound.length === 0 || bound.includes("all-proxy-models")) return [];
  return entries.filter((entry) => {
    // These two give nothing that the team does not have.
    if (entry === "all-team-models" || entry === "no-default-models") return false;
    if (entry === "all-proxy-models") return true;
    return !bound.some((other) => other === entry || (other.includes("*") && matchPattern(other, entry) !== null));
  });
}
