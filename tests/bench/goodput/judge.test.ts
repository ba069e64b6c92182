import { expect, test } from "vitest";
import type { ArrivalsResult, CallEnd } from "./arrivals.ts";
import { recoveryMs, sumUp } from "./judge.ts";

const end = (kind: CallEnd["kind"], dueMs: number, latencyMs: number): CallEnd => ({
  kind,
  dueMs,
  latencyMs,
  problem: kind === "failed" ? "cut" : null,
});
const resultOf = (...ends: CallEnd[]): ArrivalsResult => ({ cpuMs: 10, crowds: [{ ends, unsent: 6 }] });

test("good responses count if they arrive after the first second and before the end", () => {
  const slice = sumUp(
    resultOf(end("good", 100, 100), end("good", 900, 200), end("good", 1_500, 100), end("good", 2_950, 100)),
    3_000,
  );
  expect(slice).toMatchObject({ goodPerSecond: 1, allGood: 4, unsentPerSecond: 2, failed: 0 });
});

test("refusals in the first second are not timed, because some of those calls waited in the queue", () => {
  const slice = sumUp(resultOf(end("refused", 200, 250), end("refused", 1_200, 1), end("refused", 1_300, 3)), 2_000);
  expect(slice).toMatchObject({ refusedPerSecond: 2, refusalP50Ms: 2, allRefused: 3 });
});

test("failures other than refusals are reported even in the first second", () => {
  expect(sumUp(resultOf(end("failed", 10, 1)), 2_000)).toMatchObject({ failed: 1, problem: "cut" });
});

test("recovery is complete when no more than one call in a hundred is refused or late", () => {
  const bad = [end("refused", 100, 1), end("good", 150, 900), end("refused", 190, 1)];
  const good = Array.from({ length: 150 }, (_, index) => end("good", 200 + index, 500));
  expect(recoveryMs(resultOf(...bad, ...good), 600)).toBe(190);
  expect(recoveryMs(resultOf(...good), 600)).toBe(200);
  expect(recoveryMs(resultOf(...bad), 600)).toBe(Number.POSITIVE_INFINITY);
});
