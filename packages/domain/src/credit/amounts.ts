import type { NanoUsd } from "../money.ts";

export function smaller(one: NanoUsd, other: NanoUsd): NanoUsd {
  if (one < other) return one;
  return other;
}

export function larger(one: NanoUsd, other: NanoUsd): NanoUsd {
  if (one > other) return one;
  return other;
}
