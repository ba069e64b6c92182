import { expect, test } from "vitest";
import type { ModelData } from "./model-report.ts";
import { databaseCores, PROFILES, type Profile, sizeUp } from "./sizing.ts";

const model = {
  gateway: {
    callFixedCores: 0.1,
    microsPerCall: 200,
    microsPerKiB: 10,
    streamFixedCores: 0,
    microsPerChunk: 20,
    idleMiB: 512,
    processMiB: 256,
    bytesPerStream: 32_768,
    redisCommandsPerSecond: 40,
  },
  settlement: { eventsPerSecond: 10_000, databaseMicros: 60, workerMicros: 40, databaseBytes: 1_000 },
  leases: [{ organizations: 1, databaseMicros: 500, gatewayMicros: 100 }],
  journalBytesPerCall: 500,
} as unknown as ModelData;

const profile = (name: string) => PROFILES.find((known) => known.name === name) as Profile;

test("a process is planned to use 60% of its core, and the call rate scales with the number of processes", () => {
  expect(sizeUp(profile("Team"), model)).toMatchObject({ processes: 2, callsPerSecond: 5_000, streams: 2_000 });
  expect(sizeUp(profile("Platform"), model).callsPerSecond).toBe(40_000);
});

test("a machine has one supervisor and one worker, regardless of the number of gateway processes", () => {
  const { streams, streamMemoryGiB } = sizeUp(profile("Company"), model);
  expect(streamMemoryGiB).toBeCloseTo((3 * 256 + 6 * 256) / 1024 + (streams * 32_768) / 2 ** 30);
});

test("if the database shares the core, the cost of a call includes its settlement", () => {
  expect(sizeUp(profile("Laptop"), model).callsPerSecond).toBe(1_666);
});

test("the database cores are sized for settlements and lease statements", () => {
  expect(databaseCores(model, 10_000, 1_000)).toBeCloseTo(1.1);
});
