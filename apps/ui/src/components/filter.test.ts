import { expect, test } from "vitest";
import { clearedFilters, describeFilter, type Filter, isFilterSet } from "./filter.ts";

const TEAM: Filter = { name: "team", label: "Team", kind: "one", options: [{ value: "team_1", label: "Platform" }] };
const MODEL: Filter = { name: "model", label: "Model", kind: "many" };
const UNUSED: Filter = { name: "unused", label: "Unused", kind: "flag" };

test("a filter reads in the words of its options, never as a raw id", () => {
  expect(describeFilter({ team: "team_1" }, TEAM)).toBe("Platform");
  expect(describeFilter({ team: "" }, TEAM)).toBe("any");
  expect(describeFilter({ unused: "true" }, UNUSED)).toBe("on");
});

test("a value that is no option any more is still told", () => {
  expect(describeFilter({ team: "team_gone" }, TEAM)).toBe("team_gone");
});

test("many values are two at most and then counted", () => {
  expect(describeFilter({ model: ["a", "b"] }, MODEL)).toBe("a, b");
  expect(describeFilter({ model: ["a", "b", "c"] }, MODEL)).toBe("a and 2 more");
});

test("clearing keeps texts texts and lists lists, and touches nothing else", () => {
  const values = { team: "team_1", model: ["a"], unused: "true", range: "14d" };
  expect(clearedFilters(values, [TEAM, MODEL, UNUSED])).toEqual({ team: "", model: [], unused: "" });
});

test("empty is not set, whatever its kind", () => {
  expect([TEAM, MODEL, UNUSED].map((filter) => isFilterSet({ team: "", model: [], unused: "" }, filter))).toEqual([
    false,
    false,
    false,
  ]);
  expect(isFilterSet({}, TEAM)).toBe(false);
});
