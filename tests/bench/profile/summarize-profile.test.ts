import { expect, test } from "vitest";
import { type CpuProfile, summarizeProfile } from "./summarize-profile.ts";

const node = (id: number, functionName: string, url = "") => ({ id, callFrame: { functionName, url, lineNumber: 9 } });

const profile: CpuProfile = {
  nodes: [
    node(1, "(idle)"),
    node(2, "parse", "file:///a/apps/gateway/src/pipeline/read-call.ts"),
    node(3, "write", "node:net"),
    node(4, "start"),
    node(5, "#sleep", "file:///a/apps/gateway/src/journal/journal-thread.ts"),
    node(6, "scan", "file:///a/apps/gateway/src/pipeline/scan.ts"),
  ],
  startTime: 1000,
  // The last time delta only marks the end of the previous sample.
  samples: [4, 2, 3, 1, 2, 5, 6, 1],
  timeDeltas: [0, 100, 200, 100, 400, 100, 50, 100],
};

test("sums self time by function and by package within the window, without the time in which the thread waits", () => {
  const { functions, packages } = summarizeProfile(profile, 1050, 3000);
  expect(functions).toEqual([
    { name: "parse  src/pipeline/read-call.ts:10", selfMs: 0.3, share: 0.6 },
    { name: "write  node:net:10", selfMs: 0.1, share: 0.2 },
    { name: "scan  src/pipeline/scan.ts:10", selfMs: 0.1, share: 0.2 },
  ]);
  expect(packages).toEqual([
    { name: "apps/gateway/src/pipeline", selfMs: 0.4, share: 0.8 },
    { name: "node:net", selfMs: 0.1, share: 0.2 },
  ]);
});
