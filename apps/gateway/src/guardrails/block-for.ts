import type { Span } from "./finder.ts";
import type { Verdict } from "./text-check.ts";

/** Of all the names of what was found, as many as a refusal lists. */
const MAX_NAMES = 10;

/** The refusal of what was found. It names what it is, never what it says. */
export function blockFor(spans: readonly Span[]): Extract<Verdict, { kind: "block" }> {
  const names = [...new Set(spans.map(({ name }) => name))].slice(0, MAX_NAMES);
  return { kind: "block", reason: `found: ${names.join(", ")}`, fields: { found: names } };
}
