import { expect, test } from "vitest";
import { quickStartCode } from "./quick-start-code.ts";

const facts = { apiUrl: "https://t.example/x/y", keyHeader: "x-gw-api-key", apiKey: null, model: "gpt-5" };
const codeOf = (label: string, change: Partial<typeof facts> & { apiKey?: string | null } = {}) =>
  quickStartCode({ ...facts, ...change }).find((snippet) => snippet.label === label)?.code ?? "";

test("every language uses this server's URL, key header, and model", () => {
  for (const { code } of quickStartCode(facts)) {
    expect(code).toContain("https://t.example/x/y/v1");
    expect(code).toContain("x-gw-api-key");
    expect(code).toContain("gpt-5");
    expect(code).toContain("TOLLGATE_API_KEY");
  }
});

test("sends the key as a Bearer token if the key header is Authorization", () => {
  expect(codeOf("curl", { keyHeader: "authorization" })).toContain(`-H "authorization: Bearer $TOLLGATE_API_KEY"`);
  expect(codeOf("TypeScript", { keyHeader: "authorization" })).not.toContain("defaultHeaders");
  expect(codeOf("Go", { keyHeader: "authorization" })).toContain(`"Bearer "+os.Getenv`);
});

test("inserts a newly created key instead of reading the environment", () => {
  for (const { code } of quickStartCode({ ...facts, apiKey: "sk-abc" })) {
    expect(code).toContain("sk-abc");
    expect(code).not.toContain("TOLLGATE_API_KEY");
  }
});

test("escapes a model name inside quotes", () => {
  expect(codeOf("curl", { model: "it's; rm" })).toContain(`"model":"it'\\''s; rm"`);
  expect(codeOf("Python", { model: 'a"b' })).toContain(String.raw`model="a\"b"`);
});
