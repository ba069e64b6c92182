import { ModelGroupInfoResponse } from "@tollgate/contracts/models/model-group-info.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { expect, test } from "vitest";
import { ADMIN_KEY, type ApiServer, startApi, USER_KEY } from "../api.fixture.ts";

const yaml = `
model_list:
  - model_name: mixed
    rpm: 100
    litellm_params: { model: openai/gpt-4o, api_key: sk-up, tpm: 5000 }
    model_info: { supported_openai_params: [tools, temperature, seed] }
  - model_name: mixed
    litellm_params: { model: hosted_vllm/mine, api_base: "http://127.0.0.1:1/v1", rpm: 20, input_cost_per_token: 4e-06, output_cost_per_token: 2e-06, input_cost_per_pixel: 1e-07 }
    model_info: { mode: completion, max_input_tokens: 200000, supports_reasoning: true, supported_openai_params: [seed, tools, n] }
  - model_name: mixed
    litellm_params: { model: hosted_vllm/other, api_base: "http://127.0.0.1:1/v1" }
    model_info: { tpm: 1000 }
  - { model_name: unknown, litellm_params: { model: hosted_vllm/unknown, api_base: "http://127.0.0.1:1/v1" } }
  - { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: sk-up, rpm: 9 } }
  - model_name: internal-name
    litellm_params: { model: sim/lorem }
    model_info: { team_id: team_red, team_public_model_name: red-model }
router_settings: { model_group_alias: { nick: mixed } }
`;
const isGroupInfo = compileCheck(ModelGroupInfoResponse);

async function read(rest: ApiServer, group: string | null, key = USER_KEY): Promise<ModelGroupInfoResponse["data"]> {
  const query = group === null ? "" : `?model_group=${encodeURIComponent(group)}`;
  const body = await rest.read<ModelGroupInfoResponse>(`/model_group/info${query}`, key);
  expect(isGroupInfo(body)).toBe(true);
  return body.data;
}

test("combines the properties of a group's deployments", async () => {
  await using rest = await startApi({ yaml });
  expect(await read(rest, "mixed")).toEqual([
    {
      model_group: "mixed",
      providers: ["openai", "hosted_vllm"],
      max_input_tokens: 200_000,
      max_output_tokens: 16_384,
      input_cost_per_token: 4e-6,
      output_cost_per_token: 1e-5,
      input_cost_per_pixel: 1e-7,
      pricing_known: true,
      mode: "chat",
      tpm: 6_000,
      rpm: 120,
      supports_parallel_function_calling: true,
      supports_vision: true,
      supports_function_calling: true,
      supports_web_search: false,
      supports_reasoning: true,
      supported_openai_params: ["tools", "seed"],
      is_public_model_group: false,
    },
  ]);
});

test("unknown values are null, and an unknown price is zero with pricing_known: false", async () => {
  await using rest = await startApi({ yaml });
  expect((await read(rest, "unknown"))[0]).toMatchObject({
    max_input_tokens: null,
    max_output_tokens: null,
    input_cost_per_token: 0,
    output_cost_per_token: 0,
    input_cost_per_pixel: null,
    pricing_known: false,
    mode: "chat",
    tpm: null,
    rpm: null,
    supports_vision: false,
  });
});

test("a wildcard is one entry under its own name, and the properties of a matching name come from the catalog", async () => {
  await using rest = await startApi({ yaml });
  const [star, ...others] = await read(rest, "openai/*");
  expect(others).toEqual([]);
  expect(star).toMatchObject({
    model_group: "openai/*",
    providers: ["openai"],
    max_input_tokens: null,
    pricing_known: false,
  });
  expect((await read(rest, "openai/gpt-4o-mini"))[0]).toMatchObject({
    model_group: "openai/gpt-4o-mini",
    max_input_tokens: 128_000,
    max_output_tokens: 16_384,
    input_cost_per_token: 1.5e-7,
    output_cost_per_token: 6e-7,
    pricing_known: true,
    rpm: 9,
    supports_vision: true,
  });
});

test("without a name, describes all groups and expands wildcards", async () => {
  await using rest = await startApi({ yaml });
  const names = (await read(rest, null)).map(({ model_group }) => model_group);
  expect(names.slice(0, 2)).toEqual(["mixed", "unknown"]);
  expect(names).toContain("openai/gpt-4o-mini");
  for (const absent of ["openai/*", "nick", "red-model"]) expect(names).not.toContain(absent);
  const models = await rest.read<{ data: { id: string }[] }>("/models", USER_KEY);
  expect(names).toEqual(models.data.map(({ id }) => id).filter((id) => id !== "nick"));
  expect((await read(rest, null, ADMIN_KEY)).map(({ model_group }) => model_group)).toContain("red-model");
});

test("returns an empty list for an unknown or inaccessible group", async () => {
  const models = { key: ["unknown"], team: [], user: [], organization: [] };
  await using rest = await startApi({ yaml, callers: { "sk-limited": { models } } });
  expect(await read(rest, "nothing")).toEqual([]);
  expect(await read(rest, "mixed", "sk-limited")).toEqual([]);
  expect(await read(rest, "red-model")).toEqual([]);
  expect((await read(rest, "nick"))[0]).toMatchObject({ model_group: "nick", rpm: 120 });
});

test("if the model hub is public, all groups are public, except team-owned groups", async () => {
  await using rest = await startApi({ yaml: `${yaml}\ngeneral_settings: { enable_public_model_hub: true }` });
  expect((await read(rest, "mixed"))[0]?.is_public_model_group).toBe(true);
  expect((await read(rest, "red-model", ADMIN_KEY))[0]?.is_public_model_group).toBe(false);
});

test("shows the price of a model that matches a pattern with its margin", async () => {
  await using rest = await startApi({ yaml: `${yaml}\ngw_settings: { cost_margin: { openai: 0.1 } }` });
  expect(await read(rest, "openai/gpt-4o")).toMatchObject([{ input_cost_per_token: 2.75e-6 }]);
});
