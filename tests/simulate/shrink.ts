import type { Broken } from "./ledger/settle.ts";
import type { Plan } from "./plan.ts";
import { runPlan } from "./world.ts";

const MAX_RUNS = 600;

/** Removes everything from a failing plan that isn't needed for the failure: first large parts, then single steps. */
export async function shrink(
  failing: Plan,
  broken: Broken,
): Promise<{ readonly plan: Plan; readonly complaint: string }> {
  let plan = failing;
  let complaint = (await runPlan(plan, broken)).complaint ?? "it does not fail again";
  let runs = 0;
  for (
    let size = Math.ceil(plan.steps.length / 2);
    size >= 1 && runs < MAX_RUNS;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < plan.steps.length && runs < MAX_RUNS; ) {
      const smaller = { ...plan, steps: plan.steps.filter((_, index) => index < at || index >= at + size) };
      runs += 1;
      const result = await runPlan(smaller, broken);
      if (result.complaint === null) {
        at += size;
        continue;
      }
      plan = smaller;
      complaint = result.complaint;
    }
  }
  return { plan, complaint };
}
