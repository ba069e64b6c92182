import { expect, test } from "vitest";
import { findDifferences } from "./find-differences.ts";
import type { Observation } from "./question.ts";

const seen = (more: Partial<Observation>): Observation => ({
  status: 200,
  headers: {},
  body: {},
  upstream: [],
  ...more,
});
const asked = (body: unknown, target = "POST /v1/chat/completions") => ({ target, headers: {}, body });

function placesOf(theirs: Partial<Observation>, ours: Partial<Observation>): readonly string[] {
  return findDifferences(seen(theirs), seen(ours)).map(({ place }) => place);
}

test("reports every position at which two responses differ, and distinguishes null from absent", () => {
  expect(placesOf({ body: { a: 1, b: [{ c: null }] } }, { body: { a: 2, b: [{}] } })).toEqual([
    "body /a",
    "body /b/0/c",
  ]);
});

test("compares only headers that both responses have", () => {
  const theirs = { headers: { "retry-after": "60", "x-gw-timeout": "1" } };
  expect(placesOf(theirs, { headers: { "retry-after": "7" } })).toEqual(["header retry-after"]);
});

test("a success and an error are reported as a difference in status and are not compared field by field", () => {
  expect(placesOf({ status: 200, body: { choices: [] } }, { status: 422, body: { error: {} } })).toEqual(["status"]);
  expect(placesOf({ status: 400, body: { code: 1 } }, { status: 422, body: { code: 2 } })).toEqual([
    "status",
    "body /code",
  ]);
});

test("ignores whitespace inside JSON text, but no other characters", () => {
  expect(placesOf({ body: { arguments: '{"a": 1}' } }, { body: { arguments: '{"a":1}' } })).toEqual([]);
  expect(placesOf({ body: { arguments: '{"a": 1}' } }, { body: { arguments: '{"a":2}' } })).toEqual([
    "body /arguments",
  ]);
});

test("compares the upstream requests and their number", () => {
  expect(placesOf({ upstream: [asked({ n: 1 })] }, { upstream: [asked({ n: 2 })] })).toEqual(["upstream /body/n"]);
  expect(placesOf({ upstream: [asked({}), asked({})] }, { upstream: [asked({})] })).toEqual(["upstream calls"]);
});

test("Google's two spellings of a name are equal, but only in Google's API format", () => {
  const [snake, camel] = [{ max_output_tokens: 1 }, { maxOutputTokens: 1 }];
  const google = "POST /v1beta/models/x:generateContent";
  expect(placesOf({ upstream: [asked(snake, google)] }, { upstream: [asked(camel, google)] })).toEqual([]);
  expect(placesOf({ upstream: [asked(snake)] }, { upstream: [asked(camel)] })).toHaveLength(2);
});

test("compares lists of names as sets, and lists of models by model name", () => {
  expect(placesOf({ body: ["a", "b"] }, { body: ["b", "a"] })).toEqual([]);
  const model = (id: string, owned_by: string) => ({ id, object: "model", owned_by });
  const theirs = { body: { data: [model("a", "x"), model("b", "x")] } };
  expect(placesOf(theirs, { body: { data: [model("b", "y"), model("a", "x")] } })).toEqual(["body /data/b/owned_by"]);
});

test("compares teams by name and members by user, also with an empty list", () => {
  const member = (user_id: string, role: string) => ({ user_id, role });
  const team = (team_alias: string, members: readonly object[]) => ({ team_alias, members });
  const theirs = { body: [team("a", [member("1", "user")]), team("b", [])] };
  const ours = { body: [team("b", [member("2", "admin")]), team("a", [member("1", "admin")])] };
  expect(placesOf(theirs, ours)).toEqual(["body /a/members/1/role", "body /b/members/2"]);
});
