import { expect, test } from "vitest";
import { isFinal, orderSteps, type TimelineEntry } from "./order-steps.ts";

const at = (state: TimelineEntry["state"], time: string | null): TimelineEntry => ({
  state,
  at: time,
  reference: null,
});
const steps = (timeline: readonly TimelineEntry[]) => orderSteps(timeline).map(({ step }) => step);

test("a paid order is at the paid step, and the credited step is expected", () => {
  const timeline = [
    at("created", "2026-11-12T14:03:12Z"),
    at("awaiting_payment", "2026-11-12T14:03:14Z"),
    at("paid", "2026-11-12T14:04:41Z"),
    at("credited", null),
  ];
  expect(steps(timeline)).toEqual(["done", "done", "now", "expected"]);
  expect(isFinal(timeline)).toBe(false);
});

test("a credited order is done, and a failed order ends with a failed step", () => {
  expect(steps([at("created", "2026-11-12T14:03:12Z"), at("credited", "2026-11-12T14:05:00Z")])).toEqual([
    "done",
    "done",
  ]);
  const failed = [at("created", "2026-11-12T14:03:12Z"), at("failed", "2026-11-12T14:05:00Z")];
  expect(steps(failed)).toEqual(["done", "failed"]);
  expect(isFinal(failed)).toBe(true);
});
