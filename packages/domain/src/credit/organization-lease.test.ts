import { expect, test } from "vitest";
import { LeaseRegistry } from "./organization-lease.ts";

const MINUTE_MS = 60_000;

test("heartbeats check active organizations in turn and evict only organizations that have been quiet for a long time", () => {
  const registry = new LeaseRegistry();
  for (let number = 0; number < 25_000; number += 1) touch(registry, number, 0);
  const looks: number[] = [];
  for (let beat = 0; beat < 4; beat += 1) looks.push(maintain(registry, 31_000 + beat));
  // No organization has idle credit to move.
  expect(looks).toEqual([0, 0, 0, 0]);
  expect(registry.size).toBe(25_000);

  touch(registry, 7, 5 * MINUTE_MS);
  for (let beat = 0; beat < 3; beat += 1) maintain(registry, 11 * MINUTE_MS + beat);
  expect(registry.size).toBe(1);
  expect(registry.find("org_7")).toBeDefined();
});

test("returns the idle credit of many quiet organizations within a few heartbeats", () => {
  const registry = new LeaseRegistry();
  for (let number = 0; number < 25_000; number += 1) touch(registry, number, 0).idle = 5n;
  const moved = [0, 1, 2].map((beat) => maintain(registry, 31_000 + beat));
  expect(moved.every((count) => count <= 10_000)).toBe(true);
  expect(moved[0] ?? 0).toBe(10_000);
  expect(moved.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(25_000);
});

function touch(registry: LeaseRegistry, number: number, nowMs: number) {
  const organization = registry.open(`org_${number}`, { epoch: 1, outages: 0 });
  organization.credit.see(5n, nowMs);
  registry.touch(organization, organization.credit);
  return organization.credit;
}

/** Runs maintenance once and returns the number of allowances whose credit should be moved. */
function maintain(registry: LeaseRegistry, nowMs: number): number {
  let moved = 0;
  registry.maintain({ nowMs, wallMs: nowMs, liveNodes: 1 }, () => {
    moved += 1;
  });
  return moved;
}
