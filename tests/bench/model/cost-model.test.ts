import { expect, test } from "vitest";
import { callsWithin, chunksWithin, coresForCalls, coresForChunks, fitLine, type GatewayCosts } from "./cost-model.ts";

const costs: GatewayCosts = {
  callFixedCores: 0.1,
  microsPerCall: 100,
  microsPerKiB: 10,
  streamFixedCores: 0.05,
  microsPerChunk: 25,
};

test("a line goes through the two loads it was fitted to", () => {
  const { fixedCores, microsEach } = fitLine({ perSecond: 400, cores: 0.14 }, { perSecond: 1600, cores: 0.26 });
  expect(fixedCores).toBeCloseTo(0.1);
  expect(microsEach).toBeCloseTo(100);
});

test("the load that fits into a share of a core costs that share", () => {
  expect(coresForCalls(costs, callsWithin(costs, 0.6, 3), 3)).toBeCloseTo(0.6);
  expect(coresForChunks(costs, chunksWithin(costs, 0.6))).toBeCloseTo(0.6);
  expect(callsWithin(costs, 0.6)).toBeCloseTo(5000);
});

test("a share below the fixed cost serves nothing", () => {
  expect(callsWithin(costs, 0.05)).toBe(0);
});
