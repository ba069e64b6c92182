import { expect, test } from "vitest";
import { type CpuProfile, summarizeProfile } from "./summarize-profile.ts";

const node = (id: number, functionName: string, url = "") => ({ id, callFrame: { functionName, url, lineNumber: 9 } });

const profile: CpuProfile = {
  nodes: [node(1, "(idle)"), node(2, "parse", "file:///a/b/c/d.ts"), node(3, "write", "node:net"), node(4, "start")],
  startTime: 1000,
  // The last time delta only marks the end of the previous sample.
  samples: [4, 2, 3, 1, 2, 1],
  timeDeltas: [0, 100, 200, 100, 400, 100],
};

test("sums self time by function within the window, excluding idle time", () => {
  expect(summarizeProfile(profile, 1050, 2000)).toEqual([
    { place: "parse  b/c/d.ts:10", selfMs: 0.3, share: 0.75 },
    { place: "write  node:net:10", selfMs: 0.1, share: 0.25 },
  ]);
});
