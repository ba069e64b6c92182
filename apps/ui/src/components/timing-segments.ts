import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import type { CallTiming } from "@tollgate/sdk/platform";
import { costUnits } from "./cost-units.generated.ts";

/** One line of a request's bill, reduced to what the timing bar needs. */
export interface CostShare {
  readonly unit: string;
  readonly amount: bigint;
}

export type TimePart = "gatewayBefore" | "queue" | "failed" | "firstToken" | "generation" | "gatewayAfter";
export type MoneyPart = "input" | "cached" | "output" | "other";

export interface Segment<Part> {
  readonly part: Part;
  /** Share of the total, from 0 to 1. */
  readonly share: number;
}

/** Returns the parts of a timing bar in chronological order. The gateway's own parts are always included. */
export function timeSegments(timing: CallTiming): readonly Segment<TimePart>[] {
  const parts = timeParts(timing);
  const total = parts.reduce((sum, [, ms]) => sum + ms, 0);
  return parts
    .filter(([part, ms]) => ms > 0 || part === "gatewayBefore" || part === "gatewayAfter")
    .map(([part, ms]) => ({ part, share: total === 0 ? 0 : ms / total }));
}

/** Returns every part with its milliseconds, including zeros. */
export function timeParts(timing: CallTiming): readonly (readonly [TimePart, number])[] {
  return [
    ["gatewayBefore", timing.gatewayBeforeMs],
    ["queue", timing.queueMs],
    ["failed", timing.failedMs],
    ["firstToken", timing.firstTokenMs],
    ["generation", timing.generationMs],
    ["gatewayAfter", timing.gatewayAfterMs],
  ];
}

const unitParts: Readonly<Record<string, { readonly part: MoneyPart }>> = costUnits;

/** Returns the parts of the cost, or an empty list if the request cost nothing. */
export function moneySegments(lines: readonly CostShare[]): readonly Segment<MoneyPart>[] {
  const order: readonly MoneyPart[] = ["input", "cached", "output", "other"];
  const amounts = new Map<MoneyPart, bigint>();
  for (const { unit, amount } of lines) {
    const part = unitParts[unit]?.part ?? "other";
    amounts.set(part, (amounts.get(part) ?? 0n) + amount);
  }
  const total = [...amounts.values()].reduce((sum, amount) => sum + amount, 0n);
  if (total <= 0n) return [];
  return order.flatMap((part) => {
    const amount = amounts.get(part) ?? 0n;
    return amount <= 0n ? [] : [{ part, share: Number((amount * 1_000_000n) / total) / 1_000_000 }];
  });
}

interface RulerMark {
  readonly share: number;
  readonly label: string;
}

const STEPS = [1, 2, 5];
const MAX_MARKS = 6;
/** Maximum position of a mark. Later marks would overlap the total. */
const LAST_MARK = 0.87;

/** Returns round times along a timing bar: zero, whole steps, and the total at the end. */
export function rulerMarks(totalMs: number): readonly RulerMark[] {
  if (totalMs <= 0) return [{ share: 0, label: "0" }];
  const step = stepFor(totalMs);
  const marks: RulerMark[] = [{ share: 0, label: "0" }];
  for (let at = step; at / totalMs < LAST_MARK; at += step) {
    marks.push({ share: at / totalMs, label: formatDuration(at) });
  }
  return [...marks, { share: 1, label: formatDuration(totalMs) }];
}

function stepFor(totalMs: number): number {
  const power = 10 ** Math.floor(Math.log10(totalMs / MAX_MARKS));
  const factor = STEPS.find((each) => totalMs / (each * power) < MAX_MARKS) ?? 10;
  return factor * power;
}
