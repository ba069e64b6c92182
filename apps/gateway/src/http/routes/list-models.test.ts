import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { ModelList } from "@tollgate/contracts/models/model-entry.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { expect, test } from "vitest";
import type { Caller } from "../../call/caller.ts";
import { ADMIN_KEY, type ApiServer, startApi, USER_KEY } from "../api.fixture.ts";

const yaml = `
model_list:
  - { model_name: zeta, litellm_params: { model: sim/echo }, model_info: { access_groups: [beta, open] } }
  - { model_name: "sim/*", litellm_params: { model: "sim/*" } }
  - { model_name: alpha, litellm_params: { model: openai/gpt-4o, api_key: sk-up }, model_info: { access_groups: [beta] } }
  - { model_name: alpha, litellm_params: { model: sim/echo } }
  - model_name: internal-name
    litellm_params: { model: sim/lorem }
    model_info: { team_id: team_red, team_public_model_name: red-model, access_groups: [reds] }
router_settings:
  model_group_alias: { nick: alpha, ghost: { model: alpha, hidden: true }, dangling: zeta2 }
  fallbacks: [{ alpha: [zeta] }, { echo: [alpha] }]
  context_window_fallbacks: [{ "*": [zeta] }]
  content_policy_fallbacks: [{ zeta: [sim/lorem] }]
  default_fallbacks: [sim/lorem]
`;
const simNames = "cut echo embed error image json lorem moderation paid rerank slow speech tools transcribe vision"
  .split(" ")
  .map((name) => `sim/${name}`);
const lists = (facts: Partial<Caller["models"]>): Caller["models"] => ({
  key: [],
  team: [],
  user: [],
  organization: [],
  ...facts,
});
const isModelList = compileCheck(ModelList);

async function idsOf(rest: ApiServer, query = "", key = USER_KEY): Promise<string[]> {
  const body = await rest.read<ModelList>(`/models${query}`, key);
  expect(isModelList(body)).toBe(true);
  return body.data.map(({ id }) => id);
}

test("lists model groups in configuration order, then aliases, then wildcard matches by name", async () => {
  await using rest = await startApi({ yaml });
  expect(await idsOf(rest)).toEqual(["zeta", "alpha", "nick", ...simNames]);
});

test("both path prefixes return the same bytes", async () => {
  await using rest = await startApi({ yaml });
  const [plain, versioned] = await Promise.all(
    ["/models", "/v1/models"].map(async (path) => (await rest.get(path)).text()),
  );
  expect(versioned).toBe(plain);
});

test("an entry has OpenAI's format, and its owner is the provider of the first deployment", async () => {
  await using rest = await startApi({ yaml });
  const { object, data } = await rest.read<ModelList>("/models");
  expect(object).toBe("list");
  expect(data.find(({ id }) => id === "alpha")).toEqual({
    id: "alpha",
    object: "model",
    created: 1677610602,
    owned_by: "openai",
  });
  expect(data.find(({ id }) => id === "sim/echo")).toMatchObject({ owned_by: "sim" });
});

test("return_wildcard_routes adds the wildcard names to the list of their matches", async () => {
  await using rest = await startApi({ yaml });
  expect(await idsOf(rest, "?return_wildcard_routes=true")).toEqual(["zeta", "sim/*", "alpha", "nick", ...simNames]);
});

test("a wildcard expands to the known models of its provider, with names that match the wildcard", async () => {
  await using rest = await startApi({
    yaml: `
model_list:
  - { model_name: "openai/gpt-4o*", litellm_params: { model: "openai/gpt-4o*", api_key: sk-up } }
  - { model_name: "my-*", litellm_params: { model: "sim/*" } }
  - { model_name: "sim/e*", litellm_params: { model: sim/echo } }
  - { model_name: "local/*", litellm_params: { model: "hosted_vllm/*", api_base: "http://127.0.0.1:1/v1" } }
`,
  });
  const ids = await idsOf(rest);
  const known = loadCatalog().modelsOfProvider("openai");
  expect(ids.filter((id) => id.startsWith("openai/"))).toEqual(
    known.map(({ id }) => id).filter((id) => id.startsWith("openai/gpt-4o")),
  );
  expect(ids.filter((id) => id.startsWith("my-"))).toEqual(simNames.map((name) => name.replace("sim/", "my-")));
  expect(ids.filter((id) => id.startsWith("sim/"))).toEqual(["sim/echo", "sim/embed", "sim/error"]);
  expect(ids.filter((id) => id.startsWith("local/"))).toEqual([]);
  expect(ids).toEqual([...ids].sort());
});

test("the model lists of the key, team, user, and organization all restrict the result", async () => {
  await using rest = await startApi({
    yaml,
    callers: {
      "sk-key": { models: lists({ key: ["alpha", "sim/e*"] }) },
      "sk-team": { models: lists({ team: ["zeta"] }) },
      "sk-both": { models: lists({ key: ["alpha", "zeta"], team: ["zeta", "sim/echo"] }) },
      "sk-team-list": { models: lists({ key: ["all-team-models"], team: ["zeta"] }) },
      "sk-all": { models: lists({ key: ["all-proxy-models"] }) },
      "sk-none": { models: lists({ key: ["no-default-models"] }) },
      "sk-group": { models: lists({ key: ["beta"] }) },
      "sk-user-list": { models: lists({ user: ["alpha"], organization: ["alpha", "zeta"] }) },
      "sk-organization": { models: lists({ key: ["alpha"], organization: ["zeta"] }) },
      "sk-by-alias": { models: lists({ key: ["nick"] }) },
    },
  });
  expect(await idsOf(rest, "", "sk-key")).toEqual(["alpha", "nick", "sim/echo", "sim/embed", "sim/error"]);
  expect(await idsOf(rest, "", "sk-team")).toEqual(["zeta"]);
  expect(await idsOf(rest, "", "sk-both")).toEqual(["zeta"]);
  expect(await idsOf(rest, "", "sk-team-list")).toEqual(["zeta"]);
  expect(await idsOf(rest, "", "sk-all")).toEqual(["zeta", "alpha", "nick", ...simNames]);
  expect(await idsOf(rest, "", "sk-none")).toEqual([]);
  expect(await idsOf(rest, "", "sk-group")).toEqual(["zeta", "alpha", "nick"]);
  expect(await idsOf(rest, "", "sk-user-list")).toEqual(["alpha", "nick"]);
  expect(await idsOf(rest, "", "sk-organization")).toEqual([]);
  expect(await idsOf(rest, "", "sk-by-alias")).toEqual(["nick"]);
});

test("a model list can name a model that is too new for the catalog, if the provider may have it", async () => {
  await using rest = await startApi({
    yaml: 'model_list: [{ model_name: "new/*", litellm_params: { model: "openai/*", api_key: sk-up } }]',
    callers: { "sk-too-new": { models: lists({ key: ["new/next-year", "sim/next-year"] }) } },
  });
  expect(await idsOf(rest, "", "sk-too-new")).toEqual(["new/next-year"]);
});

test("the aliases of a key or team are listed only for that key or team", async () => {
  await using rest = await startApi({
    yaml,
    callers: { "sk-aliases": { keyAliases: { mine: "alpha" }, teamAliases: { ours: "sim/echo", lost: "nothing" } } },
  });
  const ids = await idsOf(rest, "", "sk-aliases");
  expect(ids.slice(0, 5)).toEqual(["zeta", "alpha", "mine", "ours", "nick"]);
  expect(ids).not.toContain("lost");
  expect(await idsOf(rest)).not.toContain("mine");
});

test("a team-owned model is listed only for that team, under its public name", async () => {
  await using rest = await startApi({
    yaml,
    callers: { "sk-red": { teamId: "team_red" }, "sk-blue": { teamId: "team_blue" } },
  });
  const ids = await idsOf(rest, "", "sk-red");
  expect(ids).toContain("red-model");
  expect(ids).not.toContain("internal-name");
  for (const key of ["sk-blue", USER_KEY, ADMIN_KEY]) expect(await idsOf(rest, "", key)).not.toContain("red-model");
});

test("access groups can be listed together with the models or without them", async () => {
  await using rest = await startApi({
    yaml,
    callers: {
      "sk-beta": { models: lists({ key: ["beta", "sim/echo"] }) },
      "sk-plain": { models: lists({ key: ["zeta"] }) },
      "sk-red": { teamId: "team_red" },
    },
  });
  expect(await idsOf(rest, "?include_model_access_groups=true", "sk-beta")).toEqual([
    "zeta",
    "alpha",
    "nick",
    "beta",
    "sim/echo",
  ]);
  expect(await idsOf(rest, "?only_model_access_groups=true&return_wildcard_routes=true", "sk-beta")).toEqual(["beta"]);
  expect(await idsOf(rest, "?only_model_access_groups=true&include_model_access_groups=true")).toEqual([
    "beta",
    "open",
  ]);
  expect(await idsOf(rest, "?only_model_access_groups=true", "sk-red")).toEqual(["beta", "open", "reds"]);
  expect(await idsOf(rest, "?only_model_access_groups=true", "sk-plain")).toEqual([]);
  const { data } = await rest.read<ModelList>("/models?only_model_access_groups=1");
  expect(data[0]).toEqual({ id: "beta", object: "model", created: 1677610602, owned_by: "access_group" });
});

test("metadata lists the fallbacks for the model name or for the name without its provider, or else the default fallbacks", async () => {
  await using rest = await startApi({ yaml });
  const fallbacksOf = async (query: string) => {
    const { data } = await rest.read<ModelList>(`/models?include_metadata=true${query}`);
    return Object.fromEntries(data.map(({ id, metadata }) => [id, metadata?.fallbacks]));
  };
  const general = await fallbacksOf("");
  expect(general).toMatchObject({ alpha: ["zeta"], nick: ["zeta"], "sim/echo": ["alpha"], zeta: ["sim/lorem"] });
  expect(await fallbacksOf("&fallback_type=general")).toEqual(general);
  expect(await fallbacksOf("&fallback_type=context_window")).toMatchObject({ alpha: ["zeta"], zeta: ["zeta"] });
  expect(await fallbacksOf("&fallback_type=content_policy")).toMatchObject({ zeta: ["sim/lorem"], alpha: [] });
  expect(await fallbacksOf("&only_model_access_groups=true")).toEqual({ beta: [], open: [] });
  expect((await rest.read<ModelList>("/models")).data.every((entry) => !("metadata" in entry))).toBe(true);
});

test("rejects unknown scopes and fallback types with an error that names the parameter", async () => {
  await using rest = await startApi({ yaml });
  const scope = await rest.get("/models?scope=all&team_id=team_unknown");
  expect(scope.status).toBe(422);
  expect(await scope.json()).toMatchObject({
    detail: [{ loc: ["query", "scope"], type: "literal_error" }],
    error: { code: "validation_error", param: "scope" },
  });
  expect((await rest.get("/models?include_metadata=true&fallback_type=all")).status).toBe(422);
  expect((await rest.get("/models?fallback_type=all")).status).toBe(200);
});

test("scope=expand lists all models for administrators, regardless of their model lists and team_id", async () => {
  await using rest = await startApi({
    yaml,
    callers: {
      "sk-limited-admin": { role: "proxy_admin", models: lists({ key: ["zeta"] }) },
      "sk-limited": { models: lists({ key: ["zeta"] }) },
    },
  });
  const everything = ["zeta", "alpha", "red-model", "nick", ...simNames];
  expect(await idsOf(rest, "?scope=expand&team_id=team_unknown", "sk-limited-admin")).toEqual(everything);
  expect(await idsOf(rest, "", "sk-limited-admin")).toEqual(["zeta"]);
  expect(await idsOf(rest, "?scope=expand", "sk-limited")).toEqual(["zeta"]);
});

test("scope=expand hides other teams' own models from the leader of an organization", async () => {
  await using rest = await startApi({
    yaml,
    keysOfLeaders: ["key_leader", "key_red"],
    callers: {
      "sk-leader": { keyId: "key_leader", teamId: "team_blue", models: lists({ key: ["zeta"] }) },
      "sk-red": { keyId: "key_red", teamId: "team_red", models: lists({ key: ["zeta"] }) },
    },
  });
  const query = "?scope=expand&include_metadata=true&include_model_access_groups=true";
  const expanded = await idsOf(rest, query, "sk-leader");
  expect(expanded).toEqual(expect.arrayContaining(["zeta", "alpha", "nick"]));
  expect(expanded).not.toContain("red-model");
  expect(expanded).not.toContain("reds");
  expect(await idsOf(rest, query, "sk-red")).toEqual(expect.arrayContaining(["red-model", "reds"]));
});

test("team_id lists that team's models for its members and for administrators", async () => {
  await using rest = await startApi({
    yaml,
    teams: { team_red: ["zeta", "red-model"], team_blue: ["alpha"] },
    callers: {
      "sk-red": { teamId: "team_red", models: lists({ key: ["alpha"], team: ["zeta", "red-model"] }) },
    },
  });
  expect(await idsOf(rest, "", "sk-red")).toEqual([]);
  expect(await idsOf(rest, "?team_id=team_red", "sk-red")).toEqual(["zeta", "red-model"]);
  expect(await idsOf(rest, "?team_id=team_red", ADMIN_KEY)).toEqual(["zeta", "red-model"]);
  expect(await idsOf(rest, "?team_id=team_blue", ADMIN_KEY)).toEqual(["alpha", "nick"]);
  const codeOf = async (team: string, key: string) => {
    const response = await rest.get(`/models?team_id=${team}`, { key });
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
  };
  expect(await codeOf("team_blue", "sk-red")).toEqual([403, "not_team_member"]);
  expect(await codeOf("team_red", USER_KEY)).toEqual([403, "not_team_member"]);
  expect(await codeOf("team_unknown", "sk-red")).toEqual([404, "not_found"]);
  expect(await codeOf("team_unknown", ADMIN_KEY)).toEqual([404, "not_found"]);
});

test("returns an empty list if the gateway has no models", async () => {
  await using rest = await startApi();
  expect(await rest.read("/models")).toEqual({ object: "list", data: [] });
});
