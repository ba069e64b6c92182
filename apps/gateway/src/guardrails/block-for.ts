import type { Span } from "./detector.ts";
import type { Verdict } from "./text-check.ts";

/** Maximum number of finding names in a refusal. */
const MAX_NAMES = 10;

/** Returns the refusal for these findings. It contains the names of the findings, never their text. */
export function blockFor(spans: readonly Span[]): Extract<Verdict, { kind: "block" }> {
  const names = [...new Set(spans.map(({ name }) => name))].slice(0, MAX_NAMES);
  return { kind: "block", reason: `found: ${names.join(", ")}`, fields: { found: names } };
}
