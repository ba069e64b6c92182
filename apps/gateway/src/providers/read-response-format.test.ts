import { expect, test } from "vitest";
import { readResponseFormat } from "./read-response-format.ts";

test("returns text unless JSON is requested", () => {
  for (const format of [undefined, null, { type: "text" }])
    expect(readResponseFormat(format)).toEqual({ kind: "text" });
});

test("returns JSON with its schema, if there is one", () => {
  const none = { kind: "json", schema: null, description: null };
  expect(readResponseFormat({ type: "json_object" })).toEqual(none);
  expect(readResponseFormat({ type: "json_schema" })).toEqual(none);
  expect(readResponseFormat({ type: "json_schema", json_schema: { name: "s", schema: null } })).toEqual(none);
  const schema = { type: "object" };
  const described = { type: "json_schema", json_schema: { name: "s", description: "A city.", schema } };
  expect(readResponseFormat(described)).toEqual({ kind: "json", schema, description: "A city." });
});

test.for([
  [{ type: "grammar" }, "unsupported_parameter", "response_format.type"],
  [{}, "unsupported_parameter", "response_format.type"],
  [{ type: "json_schema", json_schema: { schema: "x" } }, "invalid_request", "response_format.json_schema.schema"],
  [{ type: "json_schema", json_schema: { schema: [] } }, "invalid_request", "response_format.json_schema.schema"],
] as const)("rejects a format that cannot be translated: %j", ([format, code, param]) => {
  expect(() => readResponseFormat(format)).toThrowError(expect.objectContaining({ code, facts: { param } }));
});
