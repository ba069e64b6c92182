import { listenForNotices } from "@tollgate/db/change-notifications.ts";
import { changeKey } from "@tollgate/db/keys/change-key.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import { blockByOperator } from "@tollgate/db/teams/block-by-operator.ts";
import { runInOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makeApiKey } from "@tollgate/domain/api-keys.ts";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant, type TenantOptions } from "@tollgate/testkit/tenants.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const JWT = "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

/** Sends a request with only these headers. Returns the status, and the error code if the request was refused. */
async function ask(gateway: TestGateway, headers: Record<string, string>, body: unknown = chatBody("sim/echo")) {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return answer.status === 200 ? "200" : `${answer.status} ${(await errorOf(answer)).code}`;
}

function chatBody(model: string, fields: object = {}) {
  return { model, messages: [{ role: "user", content: "hello" }], ...fields };
}

describe("reads the key from the headers", () => {
  test.for([
    [{ "x-gw-api-key": MASTER_KEY }, "200"],
    [{ "x-gw-api-key": `Bearer ${MASTER_KEY}` }, "200"],
    [{ authorization: `Bearer ${MASTER_KEY}` }, "200"],
    [{ authorization: `bearer ${MASTER_KEY}` }, "200"],
    [{ "x-api-key": MASTER_KEY }, "200"],
    [{ "api-key": MASTER_KEY }, "200"],
    [{}, "401 missing_api_key"],
    [{ authorization: "" }, "401 missing_api_key"],
    [{ authorization: `Basic ${MASTER_KEY}` }, "401 missing_api_key"],
    [{ authorization: MASTER_KEY }, "401 missing_api_key"],
    [{ authorization: `Bearer ${JWT}` }, "401 invalid_api_key"],
    [{ "x-gw-api-key": JWT }, "401 invalid_api_key"],
    [{ "x-api-key": `Bearer ${MASTER_KEY}` }, "401 invalid_api_key"],
    [{ "x-gw-api-key": "sk-wrong" }, "401 invalid_api_key"],
    [{ "x-gw-api-key": "master" }, "401 invalid_api_key"],
    [{ "x-gw-api-key": `sk-tg-${"0".repeat(48)}` }, "401 invalid_api_key"],
    [{ cookie: `x-gw-api-key=${MASTER_KEY}` }, "401 missing_api_key"],
  ] as const)("%j: %s", async ([headers, expected], { gateway }) => {
    expect(await ask(gateway, headers)).toBe(expected);
  });
});

describe("the first listed header that is present", () => {
  test("is the only header that is used, regardless of the other headers", async ({ gateway }) => {
    expect(await ask(gateway, { "x-gw-api-key": "sk-wrong", authorization: `Bearer ${MASTER_KEY}` })).toMatch("401");
    expect(await ask(gateway, { authorization: `Bearer ${JWT}`, "x-api-key": MASTER_KEY })).toMatch("401");
    expect(await ask(gateway, { "x-gw-api-key": MASTER_KEY, authorization: `Bearer ${JWT}` })).toBe("200");
    expect(await ask(gateway, { "x-gw-api-key": "", "api-key": MASTER_KEY })).toBe("200");
  });

  test("is determined by the order of key_headers", async ({ start }) => {
    const gateway = await start({ yaml: "general_settings: { key_headers: [api-key, authorization] }" });
    expect(await ask(gateway, { "api-key": "sk-wrong", authorization: `Bearer ${MASTER_KEY}` })).toMatch("401");
    expect(await ask(gateway, { "api-key": MASTER_KEY, authorization: "Bearer sk-wrong" })).toBe("200");
  });

  test("is the only accepted header if key_headers lists one header, and the error names that header", async ({
    start,
  }) => {
    const gateway = await start({ yaml: "general_settings: { key_headers: [x-gw-api-key] }" });
    expect(await ask(gateway, { "x-gw-api-key": MASTER_KEY })).toBe("200");
    expect(await ask(gateway, { authorization: `Bearer ${MASTER_KEY}` })).toBe("401 wrong_auth_header");
    expect(await ask(gateway, { authorization: `Bearer ${JWT}` })).toBe("401 wrong_auth_header");
    expect(await ask(gateway, { "x-api-key": MASTER_KEY })).toBe("401 wrong_auth_header");
    expect(await ask(gateway, {})).toBe("401 missing_api_key");
    const answer = await gateway.chat({ model: "sim/echo" }, { "x-gw-api-key": "", "x-api-key": MASTER_KEY });
    expect((await errorOf(answer)).message).toContain("x-gw-api-key");
  });
});

test("an invalid key is reported before an invalid body, model, or media type", async ({ gateway }) => {
  const wrong = { "x-gw-api-key": "sk-wrong" };
  expect(await ask(gateway, wrong, "{")).toBe("401 invalid_api_key");
  expect(await ask(gateway, wrong, chatBody("nowhere"))).toBe("401 invalid_api_key");
  expect(await ask(gateway, { ...wrong, "content-type": "text/plain" }, "x")).toBe("401 invalid_api_key");
  expect(await ask(gateway, wrong, "x".repeat(200_000))).toBe("401 invalid_api_key");
});

describe("a key in the database", () => {
  const cases: readonly [string, TenantOptions, string][] = [
    ["without restrictions", {}, "200"],
    ["imported from another tool", { apiKey: "sk-imported-1234" }, "200"],
    ["that expires later", { key: { expiresAt: new Date(Date.now() + 60_000) } }, "200"],
    ["that has expired", { key: { expiresAt: new Date(Date.now() - 1_000) } }, "401 expired_key"],
    ["that may only read models", { key: { allowedRoutes: ["information"] } }, "403 route_not_allowed"],
    ["that may use inference", { key: { allowedRoutes: ["inference"] } }, "200"],
    ["that may use this path", { key: { allowedRoutes: ["/v1/chat/completions"] } }, "200"],
    ["that may use another path", { key: { allowedRoutes: ["/v1/embeddings"] } }, "403 route_not_allowed"],
    ["whose model list contains the model", { key: { models: ["sim/*"] } }, "200"],
    ["whose model list lacks the model", { key: { models: ["alpha"] } }, "403 key_model_access_denied"],
    ["whose model list is empty", { key: { models: ["no-default-models"] } }, "403 key_model_access_denied"],
    ["whose team's model list lacks the model", { team: { models: ["alpha"] } }, "403 team_model_access_denied"],
    [
      "whose organization's model list lacks the model",
      { organization: { models: ["alpha"] } },
      "403 org_model_access_denied",
    ],
  ];
  test.for(cases)("%s", async ([, options, expected], { start, database }) => {
    const tenant = await addTenant(database.connect("tollgate_platform"), options);
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    expect(await ask(gateway, { "x-gw-api-key": tenant.apiKey })).toBe(expected);
    if (expected === "200") {
      expect(gateway.records[0]).toMatchObject({
        keyId: tenant.keyId,
        teamId: tenant.teamId,
        organizationId: tenant.organizationId,
      });
    }
  });

  const changes: readonly [string, (transaction: TenantTransaction, tenant: Tenant) => Promise<unknown>, string][] = [
    [
      "disabled",
      (transaction, { organizationId, keyId }) =>
        changeKey(transaction, organizationId, keyId, { isDisabled: true }, new Date()),
      "401 key_blocked",
    ],
    [
      "revoked",
      (transaction, { organizationId, keyId }) => revokeKeys(transaction, organizationId, { keyId }, new Date()),
      "401 invalid_api_key",
    ],
    [
      "of a blocked team",
      (transaction, { teamId }) => blockByOperator(transaction, teamId, new Date()),
      "403 TEAM_BLOCKED",
    ],
  ];
  test.for(changes)("%s", async ([, change, expected], { start, database }) => {
    const platform = database.connect("tollgate_platform");
    const tenant = await addTenant(platform);
    await runInOrganization(platform, tenant.organizationId, (transaction) => change(transaction, tenant));
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    expect(await ask(gateway, { "x-gw-api-key": tenant.apiKey })).toBe(expected);
    // The key is checked before the body, so that a caller with a refused key learns nothing about models.
    expect(await ask(gateway, { "x-gw-api-key": tenant.apiKey }, "{")).toBe(expected);
  });

  test("that does not exist gets the same response as a malformed key", async ({ start, database }) => {
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    expect(await ask(gateway, { "x-gw-api-key": makeApiKey() })).toBe("401 invalid_api_key");
  });

  test("can call models by its own aliases and by its team's aliases", async ({ start, database }) => {
    const tenant = await addTenant(database.connect("tollgate_platform"), {
      key: { aliases: { mine: "sim/echo" } },
      team: { modelAliases: { ours: "sim/echo", mine: "nowhere" } },
    });
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    for (const model of ["mine", "ours"]) {
      const answer = await gateway.chat({ model }, { "x-gw-api-key": tenant.apiKey });
      expect(await answer.json()).toMatchObject({ model });
    }
    expect(await ask(gateway, { "x-gw-api-key": MASTER_KEY }, chatBody("mine"))).toBe("404 model_not_found");
  });

  test("cannot name a fallback that it has no access to", async ({ start, database }) => {
    const tenant = await addTenant(database.connect("tollgate_platform"), { key: { models: ["sim/*"] } });
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    const withFallback = (fallback: unknown) =>
      ask(gateway, { "x-gw-api-key": tenant.apiKey }, chatBody("sim/echo", { fallbacks: [fallback] }));
    expect(await withFallback("sim/lorem")).toBe("200");
    expect(await withFallback("alpha")).toBe("403 key_model_access_denied");
    expect(await withFallback({ model: "alpha" })).toBe("403 key_model_access_denied");
    expect(await withFallback("nowhere")).toBe("404 model_not_found");
  });

  test("gets the same error for inaccessible and unknown models if hide_inaccessible_models is set", async ({
    start,
    database,
  }) => {
    const tenant = await addTenant(database.connect("tollgate_platform"), { key: { models: ["alpha"] } });
    const gateway = await start({
      database: database.connect("tollgate_gateway"),
      yaml: "general_settings: { hide_inaccessible_models: true }",
    });
    const [hidden, unknown] = await Promise.all(
      ["sim/echo", "nowhere"].map(async (model) =>
        errorOf(await gateway.chat({ model }, { "x-gw-api-key": tenant.apiKey, "x-gw-call-id": "same" })),
      ),
    );
    expect(JSON.stringify(hidden).replace("sim/echo", "nowhere")).toBe(JSON.stringify(unknown));
  });

  test("gets its limits in response headers, but gets the upstream URL only if it belongs to an administrator", async ({
    start,
    database,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, { choices: [], usage: { prompt_tokens: 1 } });
    const tenant = await addTenant(database.connect("tollgate_platform"), { key: { limits: { rpm: 60, tpm: 1_000 } } });
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    const { headers } = await gateway.chat({ model: "alpha" }, { "x-gw-api-key": tenant.apiKey });
    expect([headers.get("x-gw-key-rpm-limit"), headers.get("x-gw-key-tpm-limit")]).toEqual(["60", "1000"]);
    expect(headers.has("x-gw-model-api-base")).toBe(false);
  });
});

describe("a running gateway applies changes within a second", () => {
  test("when a key is revoked, a team is blocked, or a key is created", async ({ start, database }) => {
    const platform = database.connect("tollgate_platform");
    const [revoked, blocked] = [await addTenant(platform), await addTenant(platform)];
    const fresh = makeApiKey();
    const gateway = await start({ database: database.connect("tollgate_gateway") });
    const listener = listenForNotices(
      database.connectionString,
      (notice) => gateway.keys.evict(notice),
      () => {},
    );
    await listener.listening;
    const as = (apiKey: string) => ask(gateway, { "x-gw-api-key": apiKey });
    expect([await as(revoked.apiKey), await as(blocked.apiKey), await as(fresh)]).toEqual([
      "200",
      "200",
      "401 invalid_api_key",
    ]);
    await runInOrganization(platform, revoked.organizationId, (transaction) =>
      revokeKeys(transaction, revoked.organizationId, { keyId: revoked.keyId }, new Date()),
    );
    await runInOrganization(platform, blocked.organizationId, (transaction) =>
      blockByOperator(transaction, blocked.teamId, new Date()),
    );
    await addTenant(platform, { apiKey: fresh });
    const changed = async () =>
      [await as(revoked.apiKey), await as(blocked.apiKey), await as(fresh)].join() ===
      "401 invalid_api_key,403 TEAM_BLOCKED,200";
    await waitFor("all three changes", changed, { limitMs: 1_000 });
    await listener.close();
  });
});

describe("while the database is unavailable", () => {
  test("an unknown key gets a 503 with Retry-After, and a cached key still works", async ({ start }) => {
    const database = await cloneDatabase();
    const tenant = await addTenant(database.connect("tollgate_platform"));
    const gateway = await start({ database: database.openPool("tollgate_gateway", 2) });
    const as = (apiKey: string) => ask(gateway, { "x-gw-api-key": apiKey });
    expect(await as(tenant.apiKey)).toBe("200");
    await database.drop();
    expect(await as(makeApiKey())).toBe("503 DB_TIMEOUT");
    expect(await as(tenant.apiKey)).toBe("200");
    expect(await as(MASTER_KEY)).toBe("200");
    const away = await gateway.chat({ model: "sim/echo" }, { "x-gw-api-key": makeApiKey() });
    expect(Number(away.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});
