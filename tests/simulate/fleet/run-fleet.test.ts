import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { expect, test } from "vitest";
import type { FleetOptions } from "./fleet-options.ts";
import { runFleet } from "./run-fleet.ts";

const small: FleetOptions = {
  seed: 1,
  organizations: 300,
  gateways: 6,
  callsPerSecond: 200,
  spread: 6,
  warmUpSeconds: 5,
  seconds: 10,
  admission: STRICT_ADMISSION,
};

test("a fleet spends no more than its organizations' credit, and the ledger contains every call", async () => {
  const report = await runFleet(small);
  expect(report.overspend_nanousd).toBe(0);
  expect(report.books_difference_nanousd).toBe(0);
  expect(report.completed + report.refused + report.unavailable).toBe(report.calls);
  // If no organization ran out of credit, the test would prove nothing.
  expect(report.exhausted_organizations).toBeGreaterThan(2);
  expect(report.lease_statements_per_second).toBeGreaterThan(10);
});

test("overspend is reported if the policy admits a call that the credit does not cover", async () => {
  const report = await runFleet({ ...small, admission: { policy: "positive", overdraft: 1_000_000_000n } });
  expect(report.overspend_nanousd).toBeGreaterThan(0);
  expect(report.books_difference_nanousd).toBe(0);
});

test("a fleet needs fewer statements if each organization uses only one gateway", async () => {
  const anywhere = await runFleet(small);
  const kept = await runFleet({ ...small, spread: 1 });
  expect(kept.calls).toBe(anywhere.calls);
  expect(kept.lease_statements_per_second).toBeLessThan(0.8 * anywhere.lease_statements_per_second);
});

test("the same seed produces the same results", async () => {
  const { elapsed_seconds: _, ...first } = await runFleet({ ...small, seconds: 3 });
  expect(await runFleet({ ...small, seconds: 3 })).toMatchObject(first);
});
