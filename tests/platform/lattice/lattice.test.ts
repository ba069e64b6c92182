import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { runSequence } from "./run-sequence.ts";

const SEQUENCES = Number(process.env.LATTICE_SEQUENCES ?? 60);
const FIRST_SEED = Number(process.env.LATTICE_SEED ?? 1);

test("no sequence of calls by all roles gives a user a permission that their role lacks", {
  timeout: Math.max(180_000, SEQUENCES * 2_000),
}, async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const sum = { calls: 0, changes: 0, refusals: 0 };
  for (let index = 0; index < SEQUENCES; index += 1) {
    const report = await runSequence(platform, FIRST_SEED + index);
    expect(report.complaint).toBeNull();
    sum.calls += report.calls;
    sum.changes += report.changes;
    sum.refusals += report.refusals;
  }
  // Sequences without changes or refusals would prove nothing.
  expect(sum.changes).toBeGreaterThan(sum.calls / 20);
  expect(sum.refusals).toBeGreaterThan(sum.calls / 4);
  if (process.env.LATTICE_SEQUENCES !== undefined) console.log(JSON.stringify({ sequences: SEQUENCES, ...sum }));
});
