import { readFileSync } from "node:fs";
import Schema from "typebox/schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { litellmFile } from "./load-for-test.ts";
import { settingsJsonSchema } from "./settings-json-schema.ts";

const schema = settingsJsonSchema();
const accepts = (text: string): boolean => Schema.Check(schema, parse(text, { merge: true }) as unknown);

describe("the JSON schema accepts", () => {
  test.each([
    ["an empty mapping", "{}"],
    ["the example file", readFileSync(new URL("../../../../tollgate.example.yaml", import.meta.url), "utf8")],
    ["a LiteLLM file", litellmFile.text],
    ["a reference for a number", "gw_settings: {request_timeout: os.environ/TIMEOUT}"],
    ["an unknown setting inside a section", "billing: {shade: red}"],
  ])("%s", (_, text) => {
    expect(accepts(text)).toBe(true);
  });
});

describe("the JSON schema rejects", () => {
  test.each([
    ["an unknown section", "modle_list: []"],
    ["a deployment without a model", "model_list: [{model_name: a, litellm_params: {}}]"],
    ["text for a number", "gw_settings: {request_timeout: soon}"],
    ["a number out of bounds", "general_settings: {max_request_size_mb: 0}"],
    ["an unknown choice", "billing: {admission: always}"],
  ])("%s", (_, text) => {
    expect(accepts(text)).toBe(false);
  });
});

test("every setting has a description, and the schema includes defaults", () => {
  const undescribed: string[] = [];
  const walk = (node: unknown, path: string): void => {
    const { properties = {}, description } = node as { properties?: object; description?: string };
    if (path !== "" && !description) undescribed.push(path);
    for (const [name, child] of Object.entries(properties)) walk(child, `${path}.${name}`);
  };
  walk(schema, "");
  expect(undescribed).toEqual([]);
  expect(schema).toMatchObject({
    properties: { router_settings: { properties: { max_fallbacks: { default: 5 } } } },
  });
  expect(JSON.stringify(schema)).not.toContain('"x-');
});
