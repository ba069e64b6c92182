import { randomBytes } from "node:crypto";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { LOOPBACK_TARGETS } from "@tollgate/domain/network/allowed-target.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { MASTER_KEY, testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { createModelSource } from "@tollgate/platform/catalog/create-model-source.ts";
import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test as billed } from "./billed-gateway.fixture.ts";

const USD = 1_000_000_000n;
/** Maximum time for an administrator's change to reach every gateway. */
const REACH_MS = 1_000;
const secretKey = new Secret(randomBytes(32).toString("hex"));
const CANARY = `sk-canary-${randomBytes(12).toString("hex")}`;

/** A platform and a gateway on the same database, with an administrator. */
const test = billed.extend("scene", async ({ database, tollgate, upstreams }, { onCleanup }) => {
  const lines: string[] = [];
  const keep = (message: string, fields?: { error?: unknown }) =>
    lines.push(`${message} ${String(fields?.error ?? "")}`);
  const gateway = await tollgate.start({
    secretKeys: [secretKey],
    logger: { info: keep, warn: keep, error: keep },
  });
  const platform = await startTestPlatform(database, {
    settings: { outboundAllow: LOOPBACK_TARGETS },
    services: {
      secrets: createSecretBox([secretKey]),
      models: createModelSource(servedModels, () => testSettings()),
      resolveHost: async () => ["127.0.0.1"],
    },
  });
  onCleanup(() => platform.close());
  const { token } = await platform.addUser({ role: "admin" });
  const answers: string[] = [];
  const act = async (method: string, path: string, body?: object) => {
    const answer = await platform.api(method, path, { token, ...(body && { body }) });
    answers.push(answer.text);
    return answer;
  };
  const addModel = async (id: string, fields: object = {}) => {
    const slug = `prov-${randomBytes(4).toString("hex")}`;
    const provider = await act("POST", "/api/admin/providers", {
      slug,
      kind: "openai_compatible",
      baseUrl: `${upstreams.alpha.origin}/v1`,
      apiKey: CANARY,
    });
    expect(provider.status, provider.text).toBe(201);
    const pricing = { inputPerMillionTokens: 1_000_000, outputPerMillionTokens: 2_000_000 };
    const body = { provider: slug, inferenceModelId: `up-${id}`, id, pricing, ...fields };
    const model = await act("POST", "/api/admin/models", body);
    expect(model.status, model.text).toBe(201);
    return { slug, providerId: provider.body.provider.id as string };
  };
  const tenant = await tollgate.addTenant({ credit: 100n * USD });
  const call = async (model: string) => (await gateway.chat(tenant.apiKey, { model, max_tokens: 100 })).status;
  /** Waits until calls to the model return this status, within the maximum propagation time. */
  const reaches = (model: string, status: number) =>
    waitFor(`${model} to answer ${status}`, async () => (await call(model)) === status, { limitMs: REACH_MS });
  const information = async () => {
    const answer = await fetch(`${gateway.url}/model/info`, { headers: { "x-gw-api-key": MASTER_KEY } });
    return answer.text();
  };
  return { gateway, platform, act, addModel, tenant, call, reaches, information, answers, lines };
});

test("a model created through the API serves calls within a second, with its own credential", async ({
  scene,
  upstreams,
  tollgate,
}) => {
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 10, outputTokens: 5 }));
  expect(await scene.call("acme/fresh")).toBe(404);
  const { slug } = await scene.addModel("acme/fresh");
  await scene.reaches("acme/fresh", 200);
  const request = await upstreams.alpha.request(0);
  expect(request.path).toBe("/v1/chat/completions");
  expect(request.headers.authorization).toBe(`Bearer ${CANARY}`);
  expect(request.json()).toMatchObject({ model: "up-acme/fresh" });
  const [row] = await tollgate.settled(scene.tenant, 1);
  expect(row?.cost).toBe(20n); // 10 × 1 + 5 × 2 nano-USD.
  const { data } = JSON.parse(await scene.information()) as { data: Record<string, Record<string, unknown>>[] };
  const shown = data.find(({ model_name }) => (model_name as unknown) === "acme/fresh");
  expect(shown?.model_info).toMatchObject({ db_model: true, litellm_provider: slug });
  const found = await scene.platform.api("GET", "/api/models/acme%2Ffresh");
  expect(found.body.model).toMatchObject({ id: "acme/fresh", provider: slug });
});

test("a disabled model returns 404, and a settings reload keeps the other models", async ({ scene, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer());
  await scene.addModel("kept");
  await scene.addModel("dropped");
  await scene.reaches("kept", 200);
  await scene.reaches("dropped", 200);
  expect((await scene.act("DELETE", "/api/admin/models/dropped")).status).toBe(204);
  await scene.reaches("dropped", 404);
  await scene.gateway.reload({});
  expect(await scene.call("kept")).toBe(200);
  await scene.act("PATCH", "/api/admin/models/dropped", { status: "active" });
  await scene.reaches("dropped", 200);
});

test("a model from the settings takes precedence over a database model with the same name", async ({
  scene,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer({ content: "by the database" }));
  upstreams.beta.replies(200, chatAnswer({ content: "by the settings" }));
  await scene.addModel("contested");
  await scene.reaches("contested", 200);
  const model = `  - { model_name: contested, litellm_params: { model: openai/x, api_base: "${upstreams.beta.origin}/v1", api_key: sk-upstream-0123456789, input_cost_per_token: 0, output_cost_per_token: 0 } }`;
  await scene.gateway.reload({ models: model });
  const answer = await scene.gateway.chat(scene.tenant.apiKey, { model: "contested" });
  expect(await answer.text()).toContain("by the settings");
});

test("a new credential and a new URL take effect within a second, and an old credential is never sent to a new host", async ({
  scene,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  upstreams.beta.replies(200, chatAnswer());
  const { providerId } = await scene.addModel("moving");
  await scene.reaches("moving", 200);
  const baseUrl = `${upstreams.beta.origin}/v1`;
  const carried = await scene.act("PATCH", `/api/admin/providers/${providerId}`, { baseUrl });
  expect(carried.status).toBe(400);
  const moved = await scene.act("PATCH", `/api/admin/providers/${providerId}`, { baseUrl, apiKey: "sk-other-secret" });
  expect(moved.status, moved.text).toBe(200);
  await waitFor(
    "a call at the new address",
    async () => {
      await scene.call("moving");
      return upstreams.beta.requests.length > 0;
    },
    { limitMs: REACH_MS },
  );
  expect(upstreams.beta.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-other-secret"]);
});

test("if prices change under load, every call is charged at the price in effect when it was admitted", async ({
  scene,
  upstreams,
  tollgate,
}) => {
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 1_000, outputTokens: 100 }));
  await scene.addModel("volatile");
  await scene.reaches("volatile", 200);
  let isOver = false;
  let calls = 1;
  const statuses = new Set<number>();
  const callers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      calls += 1;
      statuses.add(await scene.call("volatile"));
    }
  });
  for (let round = 1; round <= 10; round += 1) {
    const pricing = { inputPerMillionTokens: 1_000_000 * round, outputPerMillionTokens: 2_000_000 * round };
    expect((await scene.act("PATCH", "/api/admin/models/volatile", { pricing })).status).toBe(200);
    const before = calls;
    await waitFor("some calls", () => calls > before + 8);
  }
  isOver = true;
  await Promise.all(callers);
  expect([...statuses]).toEqual([200]);
  const rows = await tollgate.settled(scene.tenant, calls);
  const byVersion = Map.groupBy(rows, ({ price_version_id }) => price_version_id);
  expect(byVersion.size).toBeGreaterThan(5);
  for (const [version, charged] of byVersion) {
    expect(version).not.toBeNull();
    expect(new Set(charged.map(({ cost }) => cost)).size, "one cost per version").toBe(1);
    expect((charged[0]?.cost ?? 0n) % 1_200n).toBe(0n);
  }
});

test("database models that can't be served are skipped and logged, and all other models work", async ({
  scene,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  const foreign = createSecretBox([new Secret("another installation's key, long enough")]);
  const broken: readonly (readonly [string, string, string | null, string | null])[] = [
    ["unheard", "telepathy", "https://example.org/v1", null],
    ["nowhere", "openai_compatible", "not an address", null],
    ["inward", "openai_compatible", "https://169.254.169.254/v1", null],
    ["unaddressed", "openai_compatible", null, null],
    ["locked", "openai", null, foreign.seal("sk-x", "provider:prov_00000000000000000000000005")],
  ];
  await runAsAdministrator(scene.platform.services.db, async (transaction) => {
    for (const [index, [name, kind, base_url, api_key]] of broken.entries()) {
      const id = `prov_0000000000000000000000000${index + 1}`;
      await transaction.insertInto("providers").values({ id, slug: name, name, kind, base_url }).execute();
      if (api_key !== null) {
        await transaction.insertInto("provider_credentials").values({ provider_id: id, api_key }).execute();
      }
      await transaction
        .insertInto("catalogue_models")
        .values({ id: name, name, provider_id: id, inference_model_id: "x", type: "chat" })
        .execute();
    }
  });
  await scene.addModel("sound");
  await scene.reaches("sound", 200);
  for (const [name] of broken) {
    expect(await scene.call(name), name).toBe(404);
    expect(
      scene.lines.some((line) => line.includes(`'${name}'`)),
      name,
    ).toBe(true);
  }
  expect(await scene.call("metered")).toBe(200);
});

test("a stored credential never appears in a response, log line, or row", async ({ scene, upstreams, database }) => {
  upstreams.alpha.replies(401, { error: { message: "Incorrect API key provided." } });
  const { providerId, slug } = await scene.addModel("guarded");
  await waitFor(
    "an answer of the upstream",
    async () => {
      await scene.call("guarded");
      return upstreams.alpha.requests.length > 0;
    },
    { limitMs: REACH_MS },
  );
  await scene.act("PATCH", `/api/admin/providers/${slug}`, { name: "Renamed" });
  for (const path of ["/api/admin/providers", `/api/admin/providers/${providerId}`, "/api/models", "/api/providers"]) {
    expect((await scene.act("GET", path)).status).toBe(200);
  }
  for (const path of ["/api/models", "/api/providers", "/api/models/guarded"]) {
    const { text } = await scene.platform.api("GET", path);
    expect(text).not.toContain(upstreams.alpha.origin);
    expect(text).not.toContain("up-guarded");
  }
  const tables = await querySql<{ table_name: string }>(
    database.connectionString,
    "select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
  );
  const rows: string[] = [];
  for (const { table_name } of tables) {
    const found = await querySql(database.connectionString, `select t::text as text from "${table_name}" as t`);
    rows.push(JSON.stringify(found));
  }
  expect(rows.join(""), "all rows are checked").toMatch(/provider\.created.*v1\.[0-9a-f]{8}\./s);
  const everything = [...scene.answers, ...scene.lines, ...rows, await scene.information()].join("\n");
  expect(everything).toContain(slug);
  expect(everything).not.toContain(CANARY);
  expect(everything).not.toContain(Buffer.from(CANARY).toString("base64url").slice(0, 20));
});
