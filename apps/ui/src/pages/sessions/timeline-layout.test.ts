import { expect, test } from "vitest";
import { layOutTimeline } from "./timeline-layout.ts";

const call = (createdAt: string, latencyMs: number) => ({ createdAt: `2026-11-19T${createdAt}Z`, latencyMs });

test("bars have the places of their requests between the first start and the last end", () => {
  const [late, early, long] = [call("10:00:06", 2_000), call("10:00:00", 1_000), call("10:00:02", 8_000)];
  expect(layOutTimeline([late, early, long])).toEqual({
    totalMs: 10_000,
    bars: [
      { call: early, offsetMs: 0, left: 0, width: 0.1 },
      { call: long, offsetMs: 2_000, left: 0.2, width: 0.8 },
      { call: late, offsetMs: 6_000, left: 0.6, width: 0.2 },
    ],
  });
});

test("a timeline without requests or without any duration has no invalid shares", () => {
  expect(layOutTimeline([])).toEqual({ totalMs: 1, bars: [] });
  expect(layOutTimeline([call("10:00:00", 0)]).bars).toMatchObject([{ left: 0, width: 0 }]);
});
