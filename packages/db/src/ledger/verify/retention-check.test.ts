import { expect, test } from "vitest";
import type { Checkpoint, UsageRetention } from "../checkpoints/checkpoint.ts";
import { RequiredDays } from "./retention-check.ts";

const checkpoint = (day: string, usage?: UsageRetention): Checkpoint => ({
  number: 1,
  at: `${day}T12:00:00.000Z`,
  previous: null,
  organizations: 1,
  chainedSince: "-Infinity",
  heads: [],
  ...(usage !== undefined && { usage }),
});

/** Returns the first day whose rows must exist on 2026-11-19, after these checkpoints. */
function firstDay(...checkpoints: readonly Checkpoint[]): string | null {
  const days = new RequiredDays();
  for (const each of checkpoints) days.add(each);
  return days.firstDay("2026-11-19");
}

const since = "2026-11-01";

test("days must exist for the recorded retention, counted from today", () => {
  expect(firstDay(checkpoint("2026-11-01", { since: null, retentionDays: 10 }))).toBe("2026-11-09");
  expect(firstDay(checkpoint("2026-11-01", { since: "2026-10-30", retentionDays: 10 }))).toBe("2026-11-09");
});

test("days that were dropped before the first record are accepted", () => {
  expect(firstDay(checkpoint("2026-11-01"))).toBeNull();
  expect(firstDay(checkpoint("2026-11-01"), checkpoint("2026-11-02", { since, retentionDays: 400 }))).toBe(since);
});

test("a day that is dropped after the first record is not accepted because a later checkpoint names it", () => {
  const recorded = checkpoint("2026-11-10", { since, retentionDays: 400 });
  expect(firstDay(recorded, checkpoint("2026-11-18", { since: "2026-11-18", retentionDays: 400 }))).toBe(since);
});

test("after the retention was lengthened, days of the shorter one may be missing", () => {
  const short = checkpoint("2026-11-10", { since, retentionDays: 5 });
  const long = { since, retentionDays: 400 };
  // Until the later of the two checkpoints, days could be dropped by the shorter retention.
  expect(firstDay(short, checkpoint("2026-11-15", long), checkpoint("2026-11-18", long))).toBe("2026-11-10");
});

test("days that an earlier release dropped in between are accepted", () => {
  const recorded = checkpoint("2026-11-10", { since, retentionDays: 400 });
  const later = checkpoint("2026-11-18", { since: "2026-11-07", retentionDays: 400 });
  expect(firstDay(recorded, checkpoint("2026-11-15"), later)).toBe("2026-11-07");
});
