import { expect, test } from "vitest";
import type { StopPlan } from "../plan/plan.ts";
import { StopRule } from "./stop-rule.ts";

const plan: StopPlan = { metric: "accuracy", goal: "max", patience: 2, minDelta: 0.01, target: 0.9, onDecline: "keep" };

const endsAfter = (scores: readonly number[], changes: Partial<StopPlan> = {}, rounds = 100) => {
  const rule = new StopRule({ ...plan, ...changes }, rounds);
  for (const [index, score] of scores.entries()) {
    rule.see(score, true);
    const reason = rule.reasonAfter(index + 1);
    if (reason !== null) return [index + 1, reason];
  }
  return null;
};

test("a run ends when it reaches the target", () => {
  expect(endsAfter([0.5, 0.7, 0.9])).toEqual([3, "target"]);
  expect(endsAfter([0.5, 0.3, 0.1], { goal: "min", target: 0.2 })).toEqual([3, "target"]);
});

test("a run ends when the rounds without improvement reach its patience", () => {
  expect(endsAfter([0.5, 0.6, 0.605, 0.609])).toEqual([4, "patience"]);
});

test("small improvements count as one improvement if they add up to the minimum", () => {
  expect(endsAfter([0.5, 0.506, 0.512, 0.518, 0.524])).toBeNull();
});

test("a run without patience or a target ends after its last round", () => {
  expect(endsAfter([0.5, 0.4, 0.3], { patience: null, target: null }, 3)).toEqual([3, "rounds"]);
});

test("a rejected round neither reaches the target nor counts as an improvement", () => {
  const rule = new StopRule(plan, 100);
  rule.see(0.5, true);
  rule.see(0.95, false);
  expect(rule.reasonAfter(2)).toBeNull();
  rule.see(0.95, false);
  expect(rule.reasonAfter(3)).toBe("patience");
});
