import { expect, test } from "vitest";
import { startApi, USER_KEY } from "../api.fixture.ts";

const yaml = `
model_list:
  - { model_name: alpha, litellm_params: { model: openai/gpt-4o, api_key: sk-up } }
  - { model_name: team/one, litellm_params: { model: sim/echo } }
  - { model_name: "100%/pure", litellm_params: { model: sim/echo } }
  - { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: sk-up } }
  - model_name: internal-name
    litellm_params: { model: sim/lorem }
    model_info: { team_id: team_red, team_public_model_name: red-model }
router_settings:
  model_group_alias: { ghost: { model: alpha, hidden: true } }
`;

test("finds a model with encoded or plain slashes, under both path prefixes", async () => {
  await using rest = await startApi({ yaml });
  const expected = { id: "team/one", object: "model", created: 1677610602, owned_by: "sim" };
  for (const path of ["/models/team/one", "/models/team%2Fone", "/v1/models/team/one", "/v1/models/team%2fone"]) {
    expect(await rest.read(path)).toEqual(expected);
  }
  expect(await rest.read("/models/100%25%2Fpure")).toMatchObject({ id: "100%/pure" });
});

test("finds hidden aliases and any name that a wildcard matches", async () => {
  await using rest = await startApi({ yaml });
  expect(await rest.read("/models/ghost")).toMatchObject({ id: "ghost", owned_by: "openai" });
  expect(await rest.read("/models/openai/not-in-any-catalog")).toMatchObject({
    id: "openai/not-in-any-catalog",
    owned_by: "openai",
  });
  expect(await rest.read("/models/gpt-4o-mini")).toMatchObject({ id: "gpt-4o-mini", owned_by: "openai" });
});

test("returns the same response for an unknown and an inaccessible model", async () => {
  const models = { key: ["team/one"], team: [], user: [], organization: [] };
  await using rest = await startApi({ yaml, callers: { "sk-limited": { models } } });
  const bodyOf = async (name: string, key: string) => {
    const response = await rest.get(`/models/${name}`, { key });
    expect(response.status).toBe(404);
    expect(response.headers.get("x-gw-error-name")).toBe("NotFoundError");
    // The fix suggests names that are similar to the requested one.
    return (await response.text())
      .replace(name, "x")
      .replace(/,"fix":"[^"]*"/, "")
      .replace(/"request_id":"[^"]*"/, "");
  };
  const unknown = await bodyOf("nothing", USER_KEY);
  expect(unknown).toContain("The model 'x' does not exist or you do not have access to it.");
  expect(unknown).toContain('"type":"invalid_request_error","param":"model_id","code":"model_not_found"');
  for (const name of ["alpha", "openai/gpt-4o", "red-model"]) expect(await bodyOf(name, "sk-limited")).toBe(unknown);
  expect(await bodyOf("red-model", USER_KEY)).toBe(unknown);
});
