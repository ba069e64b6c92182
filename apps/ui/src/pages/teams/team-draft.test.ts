import { expect, test } from "vitest";
import { bodyOf, draftOf, emptyTeam, problemOf, type Team } from "./team-draft.ts";

const team: Team = {
  id: "team_1",
  organizationId: "org_1",
  name: "Support bot",
  status: "active",
  blockedReason: null,
  blockedAt: null,
  role: "admin",
  memberCount: 4,
  keyCount: 3,
  budget: {
    limit: 200_000_000_001n,
    period: "weekly",
    spent: 0n,
    held: 0,
    remaining: 200_000_000_001n,
    resetsAt: null,
    usd: {},
  },
  rateLimit: { rpm: 600, tpm: null, maxParallel: 0 },
  models: ["sim/echo"],
  createdAt: "2026-11-01T00:00:00Z",
  updatedAt: "2026-11-01T00:00:00Z",
};

test("a team's form values convert back to the same team, exact to the nano-USD", () => {
  expect(bodyOf(draftOf(team))).toEqual({
    name: "Support bot",
    models: ["sim/echo"],
    budget: { limit: 200_000_000_001n, period: "weekly" },
    rateLimit: { rpm: 600, tpm: null, maxParallel: 0 },
  });
  expect(
    draftOf({ ...team, budget: { ...(team.budget as NonNullable<Team["budget"]>), limit: 25_000_000_000n } }).cap,
  ).toBe("25.00");
});

test("clearing a field removes its limit", () => {
  expect(bodyOf({ ...draftOf(team), cap: "", rpm: "", maxParallel: "", models: null })).toEqual({
    name: "Support bot",
    models: null,
    budget: null,
    rateLimit: { rpm: null, tpm: null, maxParallel: null },
  });
});

test("an empty model selection is an error and never means all models", () => {
  const named = { ...emptyTeam, name: "A" };
  expect(problemOf(named)).toBeNull();
  expect(problemOf({ ...named, models: [] })).toMatch(/model/);
  expect(problemOf({ ...named, cap: "ten" })).toMatch(/cap/);
  expect(problemOf({ ...named, rpm: "1.5" })).toMatch(/whole/);
  expect(problemOf(emptyTeam)).toMatch(/name/);
});
