import { expect, test } from "vitest";
import type { Difference } from "./find-differences.ts";
import { titleOf } from "./question.ts";
import { questions } from "./questions/questions.ts";
import { rowsOf } from "./rows.ts";

const asked = { operation: "chat completions", scenario: "OpenAI returns 400" };
const differs = (place: string, theirs: unknown, ours: unknown): Difference => ({ place, theirs, ours });

test("a difference has its documented reason, or null if no reason is documented", () => {
  const rows = rowsOf(asked, [differs("body /error/code", "400", "invalid_request"), differs("status", 400, 418)]);
  expect(rows.map(({ reason }) => reason?.name ?? null)).toEqual(["Error codes", null]);
});

test("a reason applies only to the values it covers", () => {
  expect(rowsOf(asked, [differs("body /usage", { total_tokens: 3 }, undefined)])[0]?.reason).toBeNull();
  expect(rowsOf(asked, [differs("body /error/code", "400", "500")])[0]?.reason).toBeNull();
});

test("missing fields of the same object share a row, as do identical differences", () => {
  const lacking = ["images", "annotations"].map((name) => differs(`body /choices/0/message/${name}`, [], undefined));
  expect(rowsOf(asked, lacking)).toMatchObject([{ place: "body /choices/0/message/{images, annotations}", ours: "–" }]);
  const alike = ["a", "b", "c"].map((name) => differs(`body /data/${name}/x`, 1, 2));
  expect(rowsOf(asked, alike)).toMatchObject([{ place: "body /data/a/x (and 2 similar)", theirs: "1", ours: "2" }]);
});

test("every question has a unique title", () => {
  expect(new Set(questions.map(titleOf)).size).toBe(questions.length);
});
