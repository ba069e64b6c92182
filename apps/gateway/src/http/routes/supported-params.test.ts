import type { ModelGroupInfoResponse } from "@tollgate/contracts/models/model-group-info.ts";
import type { SupportedParamsResponse } from "@tollgate/contracts/utilities/supported-params.ts";
import { expect, test } from "vitest";
import { startApi, USER_KEY } from "../api.fixture.ts";

const yaml = `
model_list:
  - { model_name: mine, litellm_params: { model: openai/gpt-4o, api_key: sk-1 } }
  - { model_name: mine, litellm_params: { model: sim/echo } }
  - { model_name: hers, litellm_params: { model: sim/echo } }
  - model_name: narrow
    litellm_params: { model: sim/echo }
    model_info: { supported_openai_params: [temperature] }
router_settings: { model_group_alias: { other: narrow } }
`;
const path = (model: string) => `/utils/supported_openai_params?model=${encodeURIComponent(model)}`;

test("lists the parameters of groups, aliases, and models that are not configured", async () => {
  await using rest = await startApi({ yaml });
  const read = async (model: string) =>
    (await rest.read<SupportedParamsResponse>(path(model), USER_KEY)).supported_openai_params;
  expect(await read("mine")).toEqual(expect.arrayContaining(["temperature", "tools", "stream"]));
  expect(await read("narrow")).toEqual(["temperature"]);
  expect(await read("other")).toEqual(["temperature"]);
  const served = new Set(await read("mine"));
  expect(new Set(await read("openai/gpt-4o-mini"))).toEqual(served);
  expect(new Set(await read("gpt-4o-mini"))).toEqual(served);
});

test("lists the parameters that all deployments of a group support, as the group's information does", async () => {
  const mixed = `
model_list:
  - { model_name: mixed, litellm_params: { model: openai/gpt-4o, api_key: sk-1 } }
  - { model_name: mixed, litellm_params: { model: mistral/mistral-large-latest, api_key: sk-1 } }
  - { model_name: wide, litellm_params: { model: openai/gpt-4o, api_key: sk-1 } }
`;
  await using rest = await startApi({ yaml: mixed });
  const read = async (model: string) =>
    (await rest.read<SupportedParamsResponse>(path(model), USER_KEY)).supported_openai_params;
  const { data } = await rest.read<ModelGroupInfoResponse>("/model_group/info?model_group=mixed", USER_KEY);
  expect(await read("wide")).toContain("logit_bias");
  expect(await read("mixed")).not.toContain("logit_bias");
  expect(await read("mixed")).toEqual(data[0]?.supported_openai_params);
});

test("lists only what the model supports, as the catalog or the settings say", async () => {
  const flags = `
model_list:
  - { model_name: plain, litellm_params: { model: openai/gpt-4o, api_key: sk-1 } }
  - model_name: flagged
    litellm_params: { model: openai/gpt-4o, api_key: sk-1 }
    model_info: { supports_reasoning: true, supports_function_calling: false }
  - { model_name: own, litellm_params: { model: openai/never-listed, api_key: sk-1, api_base: "http://localhost:9/v1" } }
  - { model_name: "any/*", litellm_params: { model: "openai/*", api_key: sk-1 } }
`;
  await using rest = await startApi({ yaml: flags });
  const read = async (model: string) =>
    (await rest.read<SupportedParamsResponse>(path(model), USER_KEY)).supported_openai_params;
  const group = async (model: string) =>
    (await rest.read<ModelGroupInfoResponse>(`/model_group/info?model_group=${encodeURIComponent(model)}`, USER_KEY))
      .data[0]?.supported_openai_params;
  const reasoning = ["reasoning_effort", "thinking", "verbosity"];
  for (const model of ["plain", "any/gpt-4o", "openai/gpt-4o"]) {
    expect(await read(model)).toEqual(expect.arrayContaining(["temperature", "tools", "user"]));
    expect((await read(model)).filter((name) => reasoning.includes(name))).toEqual([]);
  }
  expect(new Set(await group("plain"))).toEqual(new Set(await read("plain")));
  expect(new Set(await group("any/gpt-4o"))).toEqual(new Set(await read("plain")));
  expect(await read("openai/gpt-5")).toEqual(expect.arrayContaining(["reasoning_effort", "verbosity"]));
  expect(await read("flagged")).toEqual(expect.arrayContaining(["reasoning_effort", "verbosity"]));
  expect(await read("flagged")).not.toContain("tools");
  // The catalog doesn't know the model, so the provider's list applies.
  expect(await read("own")).toEqual(expect.arrayContaining([...reasoning, "tools"]));
});

test("uses the model's API format if its provider has several formats", async () => {
  await using rest = await startApi({ yaml });
  const read = async (model: string) =>
    (await rest.read<SupportedParamsResponse>(path(model), USER_KEY)).supported_openai_params;
  expect(await read("vertex_ai/gemini-2.5-flash")).toContain("seed");
  expect(await read("vertex_ai/claude-sonnet-4-5@20250929")).not.toContain("seed");
  expect(await read("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0")).toContain("reasoning_effort");
  expect(await read("bedrock/us.meta.llama3-3-70b-instruct-v1:0")).not.toContain("reasoning_effort");
});

test("rejects an unknown or missing name, and a model that the key has no access to", async () => {
  const limited = { models: { key: ["mine"], team: [], user: [], organization: [] } };
  await using rest = await startApi({ yaml, callers: { "sk-limited": limited } });
  const unknown = await rest.get(path("unknown/model"));
  expect(unknown.status).toBe(400);
  expect(await unknown.json()).toMatchObject({ error: { message: "Could not map model=unknown/model." } });
  expect((await rest.get("/utils/supported_openai_params")).status).toBe(422);
  expect((await rest.get(path("hers"), { key: "sk-limited" })).status).toBe(403);
  expect((await rest.get(path("mine"), { key: null })).status).toBe(401);
});
