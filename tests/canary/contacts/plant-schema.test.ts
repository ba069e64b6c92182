import type { JsonSchema } from "@tollgate/testkit/json-schema.ts";
import { expect, test } from "vitest";
import { LURE, plantEverywhere } from "./plant-schema.ts";

const part: JsonSchema = {
  type: "object",
  required: ["type"],
  properties: { type: { const: "text" }, text: { type: "string" } },
  additionalProperties: false,
};
const schema: JsonSchema = {
  type: "object",
  required: ["model", "content"],
  properties: {
    model: { type: "string" },
    n: { anyOf: [{ type: "integer" }, { type: "null" }] },
    content: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/part" } }] },
  },
  additionalProperties: false,
};

test("places a lure in every position once and keeps the other values as small as the schema allows", () => {
  expect(plantEverywhere(schema, () => part)).toEqual([
    { model: LURE, content: "a" },
    { model: "a", content: "a", n: LURE },
    { model: "a", content: LURE },
    { model: "a", content: [{ type: LURE }] },
    { model: "a", content: [{ type: "text", text: LURE }] },
  ]);
});

test("if any field is allowed, places lures in field names and in fields whose URLs some libraries fetch", () => {
  const planted = plantEverywhere({ type: "object", additionalProperties: true }, () => part);
  expect(planted).toContainEqual({ $ref: LURE });
  expect(planted).toContainEqual({ url: LURE });
  expect(planted).toContainEqual({ [LURE]: "x" });
});

test("generating values for a recursive schema terminates", () => {
  const loop: JsonSchema = { type: "array", items: { $ref: "#/loop" } };
  expect(plantEverywhere(loop, () => loop)).toEqual([]);
});
