import { describe, expect, test } from "vitest";
import { findRefusingList, type ModelLists } from "./model-permission.ts";

const none: ModelLists = { key: [], team: [], user: [], organization: [] };
const model = { names: ["openai/gpt-4o", "openai/*"], accessGroups: ["beta"] };
const refusedBy = (lists: Partial<ModelLists>, of = model) => findRefusingList({ ...none, ...lists }, of);

test("a caller without lists may use every model", () => {
  expect(refusedBy({})).toBeNull();
});

describe("an entry permits", () => {
  test.for([
    ["the exact name", "openai/gpt-4o"],
    ["the pattern's own name", "openai/*"],
    ["a wider pattern", "*"],
    ["a narrower pattern that covers the name", "openai/gpt-*"],
    ["an access group of the model", "beta"],
    ["everything", "all-proxy-models"],
  ] as const)("%s", ([, entry]) => {
    expect(refusedBy({ key: [entry] })).toBeNull();
  });
});

describe("an entry does not permit", () => {
  test.for([
    ["another model", "openai/gpt-4o-mini"],
    ["a part of the name", "gpt-4o"],
    ["a pattern that covers a part only", "gpt-*"],
    ["another access group", "alpha"],
    ["nothing at all", "no-default-models"],
    ["an empty name", ""],
  ] as const)("%s", ([, entry]) => {
    expect(refusedBy({ key: [entry] })).toBe("key");
  });
});

test("every non-empty list must permit the model, and the result names the first list that doesn't", () => {
  const yes = ["openai/*"];
  const no = ["other"];
  expect(refusedBy({ key: yes, team: yes, user: yes, organization: yes })).toBeNull();
  expect(refusedBy({ key: no, team: no, user: no, organization: no })).toBe("key");
  expect(refusedBy({ key: yes, team: no, user: no, organization: no })).toBe("team");
  expect(refusedBy({ key: yes, team: yes, user: no, organization: no })).toBe("user");
  expect(refusedBy({ key: yes, team: yes, user: yes, organization: no })).toBe("organization");
});

test("a key limited to its team's models may use only those models", () => {
  const key = ["all-team-models"];
  expect(refusedBy({ key, team: ["openai/*"] })).toBeNull();
  expect(refusedBy({ key, team: ["other"] })).toBe("key");
  expect(refusedBy({ key, team: [] })).toBeNull();
});

test("a key cannot extend its team's model list", () => {
  expect(refusedBy({ key: ["all-proxy-models"], team: ["other"] })).toBe("team");
});
