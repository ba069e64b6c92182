import type { Step } from "./plan.ts";

/** A step on one line, with its time first. */
export function describeStep({ atMs, kind, ...facts }: Step): string {
  const text = JSON.stringify(facts, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
  return `${(atMs / 1_000).toFixed(3).padStart(9)} s  ${kind} ${text}`;
}
