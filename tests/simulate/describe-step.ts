import type { Step } from "./plan.ts";

/** Describes a step in one line, starting with its time. */
export function describeStep({ atMs, kind, ...facts }: Step): string {
  const text = JSON.stringify(facts, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
  return `${(atMs / 1_000).toFixed(3).padStart(9)} s  ${kind} ${text}`;
}
