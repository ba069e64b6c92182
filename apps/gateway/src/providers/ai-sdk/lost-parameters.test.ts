import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { adapted } from "./adapted-answers.fixture.ts";
import { loadAdapterPackage } from "./adapter-package.ts";
import { toCallOptions, type WireChatRequest } from "./to-call-options.ts";

const guide = readFileSync(join(import.meta.dirname, "../../../../../docs/providers/ai-sdk.md"), "utf8");

const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
const schema = { type: "object", properties: { city: { type: "string" } } };
const params: Readonly<Record<string, object>> = {
  max_tokens: { max_tokens: 5 },
  temperature: { temperature: 0.5 },
  top_p: { top_p: 0.5 },
  top_k: { top_k: 7 },
  presence_penalty: { presence_penalty: 0.5 },
  frequency_penalty: { frequency_penalty: 0.5 },
  seed: { seed: 3 },
  stop: { stop: ["END"] },
  tools: { tools },
  reasoning_effort: { reasoning_effort: "low" },
};

/** Returns the body that a package sends for a request. */
async function bodyOf(name: string, fields: object): Promise<string> {
  let sent = "";
  const fetch: typeof globalThis.fetch = (_, init) => {
    sent = String(init?.body);
    return Promise.reject(new Error("only looked at"));
  };
  const model = loadAdapterPackage(name)({ apiKey: "x", baseURL: "http://127.0.0.1/v1", fetch }).languageModel("m");
  const asked = { model: "m", messages: [{ role: "user", content: "hello" }], ...fields } as unknown as WireChatRequest;
  const options = toCallOptions(asked, model.provider, {}, new AbortController().signal);
  await Promise.resolve(model.doGenerate(options)).catch(() => {});
  return sent;
}

test.for(Object.keys(adapted))("the guide lists the parameters that %s drops", async (name) => {
  const plain = await bodyOf(name, {});
  const dropped: string[] = [];
  for (const [param, fields] of Object.entries(params)) {
    if ((await bodyOf(name, fields)) === plain) dropped.push(`\`${param}\``);
  }
  const withTools = await bodyOf(name, { tools });
  if ((await bodyOf(name, { tools, tool_choice: "required" })) === withTools) {
    dropped.splice(dropped.indexOf("`tools`") + 1, 0, "`tool_choice`");
  }
  const format = { type: "json_schema", json_schema: { name: "place", schema } };
  const sendsSchema = (await bodyOf(name, { response_format: format })).includes('"city"');
  const version = versionOf(name);
  const row = `| \`${name}\` | ${version} | ${dropped.join(", ") || "–"} | ${sendsSchema ? "sent" : "dropped"} |`;
  expect(guide).toContain(row);
});

function versionOf(name: string): string {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}
