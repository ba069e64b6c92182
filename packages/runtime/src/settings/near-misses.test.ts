import { describe, expect, test } from "vitest";
import { editDistance, findNearMiss, findSimilarVariables } from "./near-misses.ts";

describe("editDistance", () => {
  test.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "abd", 1],
    ["abc", "acb", 1],
    ["abc", "abcd", 1],
    ["", "abc", 3],
    ["routing_stategy", "routing_strategy", 1],
    ["kitten", "sitting", 3],
  ])("between %j and %j is %i", (left, right, steps) => {
    expect(editDistance(left, right)).toBe(steps);
    expect(editDistance(right, left)).toBe(steps);
  });
});

describe("findNearMiss", () => {
  const known = ["model_list", "timeout", "tags", "rpm", "id"];
  test.each([
    ["modle_list", "model_list"],
    ["timout", "timeout"],
    ["tag", "tags"],
    ["rps", "rpm"],
    ["rest", null],
    ["ip", null],
    ["something_else", null],
  ])("for %j returns %j", (written, meant) => {
    expect(findNearMiss(written, known)).toBe(meant);
  });
});

test("lists the environment variables most similar to a missing variable, closest first", () => {
  const set = ["PATH", "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEYS", "OPENAI_API_KEY", "HOME"];
  expect(findSimilarVariables("ANTROPIC_API_KEY", set)).toEqual(["ANTHROPIC_API_KEY", "ANTHROPIC_API_KEYS"]);
});
