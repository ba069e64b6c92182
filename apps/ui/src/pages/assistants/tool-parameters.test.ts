import { expect, test } from "vitest";
import { toolParameters } from "./tool-parameters.ts";

test("lists the parameters of a function with their types", () => {
  const properties = {
    order: { type: "string", description: "Order number" },
    states: { type: "array", items: { type: "string" } },
    unit: { enum: ["kg", "lb"] },
    note: { type: ["string", "null"] },
    any: true,
  };
  expect(toolParameters({ type: "object", properties, required: ["order"] })).toEqual([
    { name: "order", type: "string", isRequired: true, description: "Order number" },
    { name: "states", type: "array of string", isRequired: false, description: null },
    { name: "unit", type: "kg | lb", isRequired: false, description: null },
    { name: "note", type: "string | null", isRequired: false, description: null },
    { name: "any", type: null, isRequired: false, description: null },
  ]);
});

test("a function without parameters, or with a schema in another form, has none", () => {
  for (const schema of [undefined, null, {}, [], "text", { properties: ["a"] }])
    expect(toolParameters(schema)).toEqual([]);
});
