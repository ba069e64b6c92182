import { parsePeriod, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallerBudget } from "../call/caller.ts";
import { BudgetSet } from "./key-directory.ts";

const budget = (period: string, scopeId = period): CallerBudget => ({
  scope: "key",
  scopeId,
  ownerName: "ci",
  limit: 10n,
  period: parsePeriod(period),
});

test("a caller without budgets has no windows", () => {
  expect(new BudgetSet([]).windowsAt(Date.now())).toEqual([]);
});

test("returns the windows for each timestamp, even if the clock moves backward", () => {
  const periods = fc.array(fc.constantFrom("none", "10s", "7m", "daily", "weekly", "monthly", "3mo"), { minLength: 1 });
  const moments = fc.array(fc.integer({ min: 0, max: Date.UTC(2040, 0) }), { minLength: 1 });
  // Cached windows are most likely to be wrong for timestamps that are close together.
  const steps = fc.array(fc.integer({ min: -20_000, max: 20_000 }), { minLength: 1 });
  fc.assert(
    fc.property(periods, moments, steps, (names, starts, changes) => {
      const budgets = names.map((period, index) => budget(period, String(index)));
      const set = new BudgetSet(budgets);
      for (const start of starts) {
        for (const change of changes) {
          const atMs = Math.max(0, start + change);
          expect(set.windowsAt(atMs)).toEqual(
            budgets.map(({ scope, scopeId, limit, period }) => ({
              window: { scope, scopeId, ...windowAt(period, atMs) },
              limit,
            })),
          );
        }
      }
    }),
  );
});

test("computes the windows only when they change", () => {
  const set = new BudgetSet([budget("10s"), budget("daily")]);
  const first = set.windowsAt(20_000);
  expect(set.windowsAt(29_999)).toBe(first);
  const next = set.windowsAt(30_000);
  expect(next).not.toBe(first);
  expect(next[0]?.window.startsAtMs).toBe(30_000);
});
