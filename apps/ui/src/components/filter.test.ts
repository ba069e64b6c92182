import { expect, test } from "vitest";
import { clearedFilters, describeFilter, type Filter, isFilterSet } from "./filter.ts";

const TEAM: Filter = { name: "team", label: "Team", kind: "one", options: [{ value: "team_1", label: "Platform" }] };
const MODEL: Filter = { name: "model", label: "Model", kind: "many" };
const UNUSED: Filter = { name: "unused", label: "Unused", kind: "flag" };

test("describes a filter by its option label, not its raw ID", () => {
  expect(describeFilter({ team: "team_1" }, TEAM)).toBe("Platform");
  expect(describeFilter({ team: "" }, TEAM)).toBe("any");
  expect(describeFilter({ unused: "true" }, UNUSED)).toBe("on");
});

test("still shows a selected value that is no longer an option", () => {
  expect(describeFilter({ team: "team_gone" }, TEAM)).toBe("team_gone");
});

test("lists up to two values and counts the rest", () => {
  expect(describeFilter({ model: ["a", "b"] }, MODEL)).toBe("a, b");
  expect(describeFilter({ model: ["a", "b", "c"] }, MODEL)).toBe("a and 2 more");
});

test("clearing resets text filters to empty text and list filters to empty lists, and changes no other values", () => {
  const values = { team: "team_1", model: ["a"], unused: "true", range: "14d" };
  expect(clearedFilters(values, [TEAM, MODEL, UNUSED])).toEqual({ team: "", model: [], unused: "" });
});

test("an empty filter of any kind counts as not set", () => {
  expect([TEAM, MODEL, UNUSED].map((filter) => isFilterSet({ team: "", model: [], unused: "" }, filter))).toEqual([
    false,
    false,
    false,
  ]);
  expect(isFilterSet({}, TEAM)).toBe(false);
});
