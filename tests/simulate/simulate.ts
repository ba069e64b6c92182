import type { Broken } from "./ledger/settle.ts";
import { makePlan, type Plan } from "./plan.ts";
import { runPlan } from "./world.ts";

export interface SimulationOptions {
  readonly first: number;
  readonly count: number;
  readonly isQuick: boolean;
  readonly broken: Broken;
}

export interface SimulationReport {
  readonly seeds: number;
  readonly failed: number;
  readonly events: number;
  readonly completed: number;
  readonly refused: number;
  readonly unavailable: number;
  readonly crashes: number;
  readonly steps: number;
  readonly seconds: number;
  /** The first seed that failed. */
  readonly failure: { readonly seed: number; readonly plan: Plan; readonly complaint: string } | null;
}

/** Runs one simulation per seed. */
export async function simulate({ first, count, isQuick, broken }: SimulationOptions): Promise<SimulationReport> {
  const startedAtMs = performance.now();
  const sums = { failed: 0, events: 0, completed: 0, refused: 0, unavailable: 0, crashes: 0, steps: 0 };
  let failure: SimulationReport["failure"] = null;
  for (let seed = first; seed < first + count; seed += 1) {
    const plan = makePlan(seed, isQuick);
    const { complaint, ...figures } = await runPlan(plan, broken);
    for (const name of Object.keys(figures) as (keyof typeof figures)[]) sums[name] += figures[name];
    if (complaint === null) continue;
    sums.failed += 1;
    failure ??= { seed, plan, complaint };
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
  return { seeds: count, ...sums, seconds, failure };
}
