import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import type { Provider } from "../call/provider.ts";
import { providers } from "../providers/registry.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import { buildModelList } from "./build-model-list.ts";
import { withOwnKey } from "./own-key.ts";
import { Transports } from "./transports.ts";

/** Providers whose deployments the guide excludes. */
const takingNone: ReadonlySet<string> = new Set(["bedrock", "vertex_ai", "ai_sdk"]);
const OPERATOR = "operator-secret";
const ACCOUNT = JSON.stringify({ type: "service_account", project_id: `${OPERATOR}-project` });

/** Returns the deployment of a provider that takes callers' keys, with the operator's credentials. */
function deploymentOf({ name }: Provider, credentials: Readonly<Record<string, string>>) {
  const params = {
    model: `${name}/${name === "sim" ? "echo" : "gpt-4o"}`,
    api_base: "https://upstream.example/v1",
    configurable_clientside_auth_params: ["api_key"],
    ...(name === "ai_sdk" && { ai_sdk: "@ai-sdk/openai" }),
    ...credentials,
  };
  const settings = testSettings(JSON.stringify({ model_list: [{ model_name: "m", litellm_params: params }] }));
  const transports = new Transports(() => ({
    send: () => ({ pause() {}, resume() {}, abort() {} }),
    close: async () => {},
  }));
  const list = buildModelList(settings, providers, loadCatalog(), transports, new RouteStates());
  const [deployment] = list.groups.exact.get("m")?.members ?? [];
  if (deployment === undefined) throw new Error(`no deployment of ${name}`);
  return deployment;
}

/** Returns values for all options that can be part of a provider's credential. */
function optionsOf({ optionVariables = [] }: Provider): Readonly<Record<string, string>> {
  const names = optionVariables.flatMap((group) => Object.keys(group)).filter((name) => !/region|endpoint/.test(name));
  return Object.fromEntries(
    names.map((name) => [name, name === "vertex_credentials" ? ACCOUNT : `${OPERATOR}-${name}`]),
  );
}

const cases = [...providers.values()].flatMap((provider) => {
  const options = optionsOf(provider);
  const key = { api_key: `${OPERATOR}-key` };
  const each = Object.entries(options).map(([name, value]) => ({ [name]: value }));
  return [{}, key, options, { ...options, ...key }, ...each]
    .filter((given) => !("aws_web_identity_token" in given) || "aws_role_name" in given)
    .map((given) => [provider.name, Object.keys(given).join("+") || "no credential", given] as const);
});

describe("a call with a caller's own key", () => {
  test.for(cases)("has this key as its only credential: %s with %s", ([name, , credentials]) => {
    const provider = providers.get(name) as Provider;
    const deployment = deploymentOf(provider, credentials);
    if (takingNone.has(name)) {
      expect(deployment.ownKey).toBeNull();
      return;
    }
    const [one, other] = ["sk-caller-one", "sk-caller-two"].map((key) => {
      const [copy] = withOwnKey([deployment], new Secret(key));
      if (copy === undefined) throw new Error("the deployment takes no key");
      const { headers, streamHeaders, path } = copy.prepared;
      expect(JSON.stringify({ headers, streamHeaders, path })).not.toContain(OPERATOR);
      for (const values of [headers, streamHeaders]) expect(values.join("\n")).toContain(key);
      const secrets = [copy.apiKey, ...Object.values(copy.options)].filter((value) => value instanceof Secret);
      expect(secrets.map((secret) => secret.reveal())).toEqual([key]);
      expect(JSON.stringify(copy.options)).not.toContain(OPERATOR);
      return copy.prepared;
    });
    expect(one?.headers).not.toEqual(other?.headers);
    expect(one?.streamHeaders).not.toEqual(other?.streamHeaders);
  });

  test("is refused if the provider would send something else", () => {
    const deployment = deploymentOf(providers.get("vertex_ai") as Provider, { api_key: `${OPERATOR}-key` });
    let failure: Failure | null = null;
    try {
      withOwnKey([deployment], new Secret(ACCOUNT));
    } catch (error) {
      failure = error as Failure;
    }
    expect(failure?.code).toBe("client_side_credentials_not_allowed");
  });
});

describe("a deployment that takes callers' keys", () => {
  const azure = providers.get("azure") as Provider;

  test.for([
    ["no credential", {}, true],
    ["a key", { api_key: "sk-1" }, false],
    ["a token", { azure_ad_token: "token" }, false],
    ["an application", { tenant_id: "t", client_id: "c", client_secret: "s" }, false],
    ["a managed identity", { client_id: "c" }, false],
  ] as const)("with %s needs them: %o", ([, credentials, isNeeded]) => {
    expect(deploymentOf(azure, credentials).needsOwnKey).toBe(isNeeded);
  });
});
