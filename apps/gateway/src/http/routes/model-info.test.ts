import { ModelInfoResponse } from "@tollgate/contracts/models/model-info.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { expect, test } from "vitest";
import { ADMIN_KEY, type ApiServer, startApi, USER_KEY } from "../api.fixture.ts";

const yaml = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_base: "https://user:hidden-1@alpha.example/v1?sig=hidden-2"
      api_key: sk-hidden-3
      litellm_credential_name: main
      extra_headers: { authorization: hidden-4, plain: hidden-5 }
      rpm: 500
      tpm: 100000
      max_retries: 2
    model_info: { id: first, access_groups: [beta], team_note: ours, admin_token: hidden-6 }
  - model_name: gpt-4o
    rpm: 7
    litellm_params: { model: hosted_vllm/mine, api_base: "http://inside.example:8000/v1", input_cost_per_token: 3e-06, output_cost_per_token: 0.000015 }
    model_info: { id: second, base_model: openai/gpt-4o-mini, mode: completion, max_input_tokens: 5, supports_vision: false, litellm_provider: ours }
  - { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: sk-hidden-7 }, model_info: { id: star } }
  - model_name: internal-name
    litellm_params: { model: sim/lorem }
    model_info: { id: owned, team_id: team_red, team_public_model_name: red-model }
credential_list:
  - { credential_name: main, credential_values: { api_key: sk-hidden-8 } }
`;
const limitedTo = (...key: string[]) => ({ models: { key, team: [], user: [], organization: [] } });
const isModelInfo = compileCheck(ModelInfoResponse);

async function read(rest: ApiServer, query = "", key = USER_KEY): Promise<ModelInfoResponse["data"]> {
  const body = await rest.read<ModelInfoResponse>(`/model/info${query}`, key);
  expect(isModelInfo(body)).toBe(true);
  return body.data;
}

test("describes every deployment that the caller can use, and configured values override the catalog", async () => {
  await using rest = await startApi({ yaml });
  const [first, second, star, ...others] = await read(rest);
  expect(others).toEqual([]);
  // Internal field names contain uppercase letters, and no internal field may be exposed.
  expect(Object.keys(first?.model_info ?? {}).filter((name) => !/^[a-z_]+$/.test(name))).toEqual([]);
  expect(first).toMatchObject({
    model_name: "gpt-4o",
    litellm_params: { model: "openai/gpt-4o", rpm: 500, tpm: 100_000, litellm_credential_name: "main" },
    model_info: {
      id: "first",
      db_model: false,
      mode: "chat",
      max_input_tokens: 128_000,
      max_output_tokens: 16_384,
      input_cost_per_token: 2.5e-6,
      output_cost_per_token: 1e-5,
      litellm_provider: "openai",
      supports_vision: true,
      supports_function_calling: true,
      access_groups: ["beta"],
      base_model: null,
      team_note: "ours",
    },
  });
  expect(first?.model_info.supported_openai_params).toEqual(expect.arrayContaining(["temperature", "tools"]));
  expect(second).toMatchObject({
    litellm_params: { model: "hosted_vllm/mine", rpm: 7 },
    model_info: {
      id: "second",
      mode: "completion",
      max_input_tokens: 5,
      max_output_tokens: 16_384,
      input_cost_per_token: 3e-6,
      output_cost_per_token: 1.5e-5,
      litellm_provider: "ours",
      supports_vision: false,
      supports_function_calling: true,
      base_model: "openai/gpt-4o-mini",
    },
  });
  expect(star).toMatchObject({
    model_name: "openai/*",
    model_info: { id: "star", mode: null, input_cost_per_token: null },
  });
});

test("never returns a secret", async () => {
  await using rest = await startApi({ yaml: `${yaml}\ngeneral_settings: { expose_api_base: true }` });
  for (const key of [ADMIN_KEY, USER_KEY]) {
    const body = await (await rest.get("/model/info", { key })).text();
    expect(body).not.toContain("hidden");
    expect(body).not.toMatch(/"(api_key|extra_headers|admin_token)"/);
  }
});

test("shows upstream URLs to administrators, and to all callers with expose_api_base", async () => {
  const basesOf = (data: ModelInfoResponse["data"]) => data.map(({ litellm_params: { api_base } }) => api_base);
  const all = ["https://alpha.example/v1", "http://inside.example:8000/v1", "https://api.openai.com/v1"];
  await using rest = await startApi({ yaml });
  expect(basesOf(await read(rest, "", ADMIN_KEY)).slice(0, 3)).toEqual(all);
  expect(await (await rest.get("/model/info", { key: USER_KEY })).text()).not.toContain("example");
  await using exposed = await startApi({ yaml: `${yaml}\ngeneral_settings: { expose_api_base: true }` });
  expect(basesOf(await read(exposed))).toEqual(all);
});

test("describes only deployments that the caller can use, including a wildcard that matches an allowed name", async () => {
  await using rest = await startApi({
    yaml,
    callers: {
      "sk-group": limitedTo("beta"),
      "sk-under-star": limitedTo("openai/gpt-4o"),
      "sk-nothing": limitedTo("no-default-models"),
      "sk-red": { teamId: "team_red" },
    },
  });
  const idsFor = async (key: string) => (await read(rest, "", key)).map(({ model_info }) => model_info.id);
  expect(await idsFor("sk-group")).toEqual(["first", "second"]);
  expect(await idsFor("sk-under-star")).toEqual(["star"]);
  expect(await idsFor("sk-nothing")).toEqual([]);
  expect(await idsFor("sk-red")).toEqual(["first", "second", "star", "owned"]);
  expect(await idsFor(ADMIN_KEY)).toEqual(["first", "second", "star", "owned"]);
  expect((await read(rest, "?gw_model_id=owned", "sk-red"))[0]?.model_name).toBe("red-model");
});

test("gw_model_id selects one deployment, and the 404 is the same for unknown and inaccessible deployments", async () => {
  await using rest = await startApi({ yaml, callers: { "sk-under-star": limitedTo("openai/gpt-4o") } });
  expect((await read(rest, "?gw_model_id=second")).map(({ model_info }) => model_info.id)).toEqual(["second"]);
  expect(await read(rest, "?gw_model_id=")).toHaveLength(3);
  const refusals = await Promise.all(
    ["nothing", "second", "owned"].map((id) => rest.get(`/v1/model/info?gw_model_id=${id}`, { key: "sk-under-star" })),
  );
  expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404]);
  const bodies = await Promise.all(
    refusals.map(async (refusal) => (await refusal.text()).replace(/"request_id":"[^"]*"/, '"request_id":""')),
  );
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ error: { code: "not_found", param: "gw_model_id" } });
});

test("both path prefixes return the same response, which is an empty list if there are no models", async () => {
  await using rest = await startApi({ yaml });
  expect(await (await rest.get("/v1/model/info")).text()).toBe(await (await rest.get("/model/info")).text());
  await using empty = await startApi();
  expect(await empty.read("/model/info")).toEqual({ data: [] });
});

test("shows what the operator pays to administrators only", async () => {
  const costs = "prices_are_costs: true, input_cost_per_token: 4e-06, output_cost_per_token: 5e-06";
  const bought = `
model_list:
  - model_name: bought
    litellm_params: { model: hosted_vllm/mine, api_base: "http://127.0.0.1:1/v1", ${costs}, input_cost_per_token_priority: 6e-06, price_rules: [{ region: us, input_cost_per_token: 7e-06 }] }
    model_info: { cache_read_input_token_cost: 1e-06 }
gw_settings: { cost_margin: { global: 1 } }
general_settings: { expose_api_base: true }`;
  await using rest = await startApi({ yaml: bought });
  const [shown] = await read(rest);
  expect(shown?.model_info).toMatchObject({ input_cost_per_token: 8e-6, output_cost_per_token: 1e-5 });
  expect(shown?.litellm_params).toMatchObject({ model: "hosted_vllm/mine" });
  expect(JSON.stringify(shown)).not.toMatch(/0\.00000[14567]\b|[14567]e-0?6|prices_are_costs/);
  expect((await read(rest, "", ADMIN_KEY))[0]?.litellm_params).toMatchObject({ input_cost_per_token: 4e-6 });
});
