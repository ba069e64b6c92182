import { expect, test } from "vitest";
import { callsWithin, chunksWithin, coresForCalls, coresForChunks, fitLine, type GatewayCosts } from "./cost-model.ts";

const costs: GatewayCosts = {
  callFixedCores: 0.1,
  microsPerCall: 100,
  microsPerKiB: 10,
  streamFixedCores: 0.05,
  microsPerChunk: 25,
};

test("the fitted line goes through both measured loads", () => {
  const { fixedCores, microsEach } = fitLine({ perSecond: 400, cores: 0.14 }, { perSecond: 1600, cores: 0.26 });
  expect(fixedCores).toBeCloseTo(0.1);
  expect(microsEach).toBeCloseTo(100);
});

test("the maximum load for a share of a core costs exactly that share", () => {
  expect(coresForCalls(costs, callsWithin(costs, 0.6, 3), 3)).toBeCloseTo(0.6);
  expect(coresForChunks(costs, chunksWithin(costs, 0.6))).toBeCloseTo(0.6);
  expect(callsWithin(costs, 0.6)).toBeCloseTo(5000);
});

test("the maximum load is zero if the share of a core doesn't cover the fixed CPU cost", () => {
  expect(callsWithin(costs, 0.05)).toBe(0);
});
