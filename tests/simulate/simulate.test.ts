import { expect, test } from "vitest";
import { makePlan, type Plan } from "./plan.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import { runPlan } from "./world.ts";

const quick = { isQuick: true, first: 1, count: 40 };

test("calls are never lost or duplicated, and credit is never overspent, regardless of faults", async () => {
  const report = await simulate({ ...quick, broken: "none" });
  expect(report.failure?.complaint ?? null).toBeNull();
  // If the simulation had no calls or faults, the test would prove nothing.
  expect(report.completed).toBeGreaterThan(200);
  expect(report.refused).toBeGreaterThan(20);
  expect(report.crashes).toBeGreaterThan(20);
});

test("detects a ledger that posts an event twice, and shrinks the plan that reveals the fault", async () => {
  const report = await simulate({ ...quick, count: 20, broken: "double-post" });
  expect(report.failed).toBeGreaterThan(0);
  const plan = report.failure?.plan ?? makePlan(1, true);
  const shrunk = await shrink(plan, "double-post");
  expect(shrunk.plan.steps.length).toBeLessThan(plan.steps.length);
  expect((await runPlan(shrunk.plan, "double-post")).complaint).toBe(shrunk.complaint);
});

test("the same seed produces the same run", async () => {
  const plan = makePlan(7, false);
  expect(await runPlan(plan, "none")).toEqual(await runPlan(plan, "none"));
});

// Regression: a closing record that a killed process had written but not synced was delivered, but then lost in a power
// failure and a database restore. Recovery must sync the records that it reads before acting on them.
test("a record that recovery has read survives the next power failure", async () => {
  const call = { kind: "call", atMs: 1_000, node: 0, organization: 0, key: 0, hold: 10n } as const;
  const answer = { pieces: [{ afterMs: 5, tokens: 7 }], ending: "success", extendBy: 0n, lostAttempts: [] } as const;
  const network = { usualDelayMs: 1, longDelayMs: 1, longDelayChance: 0, lossChance: 0, duplicateChance: 0 };
  for (let seed = 1; seed <= 80; seed += 1) {
    // The call's closing record is usually written, and not synced, at some of these times.
    const diesAtMs = 1_010 + seed * 10;
    const plan: Plan = {
      ...makePlan(seed, true),
      nodes: [{ skewMs: 0, rate: 1 }],
      workers: 0,
      syncMs: 600,
      network,
      organizations: [{ balance: 1_000n, keys: 1, teamBudget: null, keyBudgets: [null] }],
      durationMs: 20_000,
      steps: [
        { ...call, ...answer, isCapped: false },
        { kind: "kill", atMs: diesAtMs, node: 0, of: "process", backAfterMs: 200 },
        { kind: "kill", atMs: diesAtMs + 3_000, node: 0, of: "machine", backAfterMs: 1_000 },
        { kind: "restore", atMs: diesAtMs + 3_100, backUpAtMs: diesAtMs, forMs: 50 },
      ],
    };
    expect((await runPlan(plan, "none")).complaint).toBeNull();
  }
});
