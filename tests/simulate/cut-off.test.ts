import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { expect, test } from "vitest";
import { type CallStep, makePlan, type Plan, type Step } from "./plan.ts";
import { runPlan } from "./world.ts";

const call: Omit<CallStep, "atMs"> = {
  kind: "call",
  node: 0,
  organization: 0,
  key: 0,
  hold: 10n,
  pieces: [{ afterMs: 5, tokens: 10 }],
  ending: "success",
  extendBy: 0n,
  lostAttempts: [],
  isCapped: false,
};

/**
 * Five calls per second fill a node's lease. Then the node is disconnected from the ledger and receives only occasional
 * calls.
 */
const busyThenQuiet: readonly Step[] = [
  ...Array.from({ length: 100 }, (_, index) => ({ ...call, atMs: 1_000 + index * 200 })),
  ...Array.from({ length: 20 }, (_, index) => ({ ...call, atMs: 22_000 + index * 4_000 })),
];

const calm: Plan = {
  ...makePlan(1, true),
  admission: STRICT_ADMISSION,
  nodes: [{ skewMs: 0, rate: 1 }],
  workers: 0,
  sharesDisk: false,
  reclaimAfterMs: 60_000,
  syncMs: 3,
  busyChance: 0,
  network: { usualDelayMs: 1, longDelayMs: 1, longDelayChance: 0, lossChance: 0, duplicateChance: 0 },
  organizations: [{ balance: 10_000_000n, keys: 1, teamBudget: null, keyBudgets: [null] }],
  durationMs: 120_000,
  steps: busyThenQuiet,
};

test("a gateway cut off from the ledger keeps using its lease and stops before the lease expires", async () => {
  const undisturbed = await runPlan(calm, "none");
  expect(undisturbed).toMatchObject({ complaint: null, completed: 120, unavailable: 0 });
  const cut = await runPlan(
    { ...calm, steps: [...busyThenQuiet, { kind: "cut", atMs: 21_500, node: 0, forMs: 90_000 }] },
    "none",
  );
  expect(cut.complaint).toBeNull();
  // Some calls after the disconnect are within 28 s of the last acknowledged heartbeat, and others are later.
  expect(cut.completed).toBeGreaterThan(102);
  expect(cut.unavailable).toBeGreaterThan(8);
});
