import type { Contestant } from "../contestants/contestant.ts";
import type { LoadRate } from "../options.ts";
import { type LatencyRow, measureLatency } from "./measure-latency.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import type { Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

/** Figures at one rate. A saturated contestant has no latency of its own, because the load waits for it. */
export type SweepStep =
  | { readonly rate: number; readonly rows: readonly LatencyRow[] }
  | { readonly rate: "max"; readonly rows: readonly SliceRow[] };

/** Measures JSON calls at several rates with the same processes. */
export async function measureSweep(
  stage: Stage,
  base: Contestant,
  others: readonly Contestant[],
  rates: readonly LoadRate[],
): Promise<SweepStep[]> {
  // Saturation is measured first, because it includes the warm-up.
  const saturated = rates.includes("max") ? await runSlices(stage, "json", base, others) : null;
  if (saturated === null) for (const contestant of [base, ...others]) await warmUp(stage, contestant, "json");
  const steps: SweepStep[] = [];
  for (const rate of rates) {
    if (rate === "max") steps.push({ rate, rows: saturated ?? [] });
    else steps.push({ rate, rows: await measureLatency(stage, [base, ...others], [rate]) });
  }
  return steps;
}
