import { expect, test } from "vitest";
import { keyStateOf, NO_MODELS } from "./key-state.ts";

const key = { status: "active", isTeamBlocked: false, budget: null, models: [] } as const;

test("a key's state is the first thing that stops its requests", () => {
  const spent = { limit: 2n, spent: 2n };
  expect(keyStateOf(key)).toBe("active");
  expect(keyStateOf({ ...key, models: ["fast", NO_MODELS] })).toBe("active");
  expect(keyStateOf({ ...key, models: [NO_MODELS] })).toBe("no_models");
  expect(keyStateOf({ ...key, budget: { limit: 2n, spent: 1n } })).toBe("active");
  expect(keyStateOf({ ...key, budget: spent, models: [NO_MODELS] })).toBe("cap_reached");
  expect(keyStateOf({ ...key, isTeamBlocked: true, budget: spent })).toBe("team_blocked");
  for (const status of ["disabled", "expired", "revoked"] as const) {
    expect(keyStateOf({ status, isTeamBlocked: true, budget: spent, models: [NO_MODELS] })).toBe(status);
  }
});
