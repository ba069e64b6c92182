import { expect, test } from "vitest";
import { groupOfProfile, parseProfileName } from "./profiled-thread.ts";
import type { CpuProfile } from "./summarize-profile.ts";

function profileOf(...urls: string[]): CpuProfile {
  const nodes = urls.map((url, id) => ({ id, callFrame: { functionName: "run", url, lineNumber: 0 } }));
  return { nodes, startTime: 0, samples: [], timeDeltas: [] };
}

test("a profile's name has its process and its thread", () => {
  expect(parseProfileName("CPU.20261117.202243.28805.2.003.cpuprofile")).toEqual({ pid: 28805, threadId: 2 });
  expect(() => parseProfileName("Heap.20261117.202243.28805.2.003.heapprofile")).toThrow("unexpected name");
});

test("a profile counts to the same group as the CPU time of its thread", () => {
  const main = profileOf("node:net", "file:///w/apps/gateway/src/delivery/delivery-thread.ts");
  const journal = profileOf("node:buffer", "file:///w/apps/gateway/src/journal/journal-thread.ts");
  const delivery = profileOf("file:///w/apps/gateway/src/delivery/run-delivery-thread.ts");
  const holder = profileOf("file:///w/apps/server/src/supervise/socket-holder.ts");
  expect(groupOfProfile("gateway", 0, main)).toBe("main");
  expect(groupOfProfile("gateway", 1, journal)).toBe("journal");
  expect(groupOfProfile("gateway", 2, delivery)).toBe("delivery");
  expect(groupOfProfile("gateway", 3, profileOf("node:net"))).toBe("thread3");
  expect(groupOfProfile("worker", 0, main)).toBe("workerProcess");
  expect(groupOfProfile("supervisor", 1, holder)).toBe("supervisor");
});
