import { querySql } from "@tollgate/testkit/database.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import type { ListedModel } from "../../catalog/model-source.ts";
import { startTestPlatform, type TestPlatform } from "../../platform.fixture.ts";

const configured: ListedModel = {
  id: "house/configured",
  mode: "image_generation",
  provider: "openai",
  contextWindow: 1_000,
  maxOutputTokens: 100,
  capabilities: ["streaming"],
  inputModalities: ["text"],
  outputModalities: ["image"],
  price: {
    inputPerMillionTokens: 5_000n,
    outputPerMillionTokens: 9_000n,
    cachedInputPerMillionTokens: null,
    perImage: null,
    perAudioSecond: null,
    perMillionCharacters: null,
    perRequest: 0n,
  },
};

const test = engines
  .extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const platform = await startTestPlatform(database, {
      services: {
        models: {
          list: () => [configured],
          has: (name) => name === configured.id || name === "hidden-alias",
          kinds: () => [
            { name: "openai", needsBaseUrl: false },
            { name: "openai_compatible", needsBaseUrl: true },
          ],
        },
      },
    });
    onCleanup(() => platform.close());
    return platform;
  })
  .extend("admin", { scope: "file" }, async ({ platform }) => platform.addUser({ role: "admin" }));

let providers = 0;
async function addProvider(platform: TestPlatform, token: string): Promise<string> {
  providers += 1;
  const slug = `house-${providers}`;
  const body = { slug, kind: "openai", apiKey: "sk-canary-0123456789abcdef" };
  const answer = await platform.api("POST", "/api/admin/providers", { token, body });
  expect(answer.status, answer.text).toBe(201);
  return slug;
}

const pricing = { inputPerMillionTokens: 200_000_000, outputPerMillionTokens: 800_000_000 };

test("creates, lists, and returns a model with exact prices", async ({ platform, admin }) => {
  const provider = await addProvider(platform, admin.token);
  const answer = await platform.api("POST", "/api/admin/models", {
    token: admin.token,
    body: {
      provider,
      inferenceModelId: "Vendor/Qwen3 30B".replace(" ", "-"),
      name: "Qwen 3 30B",
      description: "A model for the list",
      contextWindow: 131_072,
      maxOutputTokens: 8_192,
      capabilities: ["streaming", "tools"],
      pricing,
      params: { rpm: 5, unheardOf: true },
    },
  });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.body.model).toMatchObject({
    id: "qwen3-30b",
    provider,
    type: "chat",
    inferenceModelId: "Vendor/Qwen3-30B",
    params: { rpm: 5 },
    status: "active",
  });
  const shown = await platform.api("GET", "/api/models/qwen3-30b");
  expect(shown.body.model).toEqual({
    id: "qwen3-30b",
    name: "Qwen 3 30B",
    provider,
    type: "chat",
    description: "A model for the list",
    contextWindow: 131_072,
    maxOutputTokens: 8_192,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: ["streaming", "tools"],
    pricing: {
      unit: "nano-USD",
      inputPerMillionTokens: 200_000_000,
      outputPerMillionTokens: 800_000_000,
      cachedInputPerMillionTokens: null,
      perImage: null,
      perAudioSecond: null,
      perMillionCharacters: null,
      perRequest: 0,
      usd: {
        inputPerMillionTokens: "0.200000000",
        outputPerMillionTokens: "0.800000000",
        perRequest: "0.000000000",
      },
    },
    status: "active",
    deprecatedAt: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
  });
});

test("requires only a provider and an inference model ID, and takes a known model's price from the catalog", async ({
  platform,
  admin,
}) => {
  const provider = await addProvider(platform, admin.token);
  const known = await platform.api("POST", "/api/admin/models", {
    token: admin.token,
    body: { provider, inferenceModelId: "gpt-4o-mini" },
  });
  expect(known.status, known.text).toBe(201);
  expect(known.body.model.pricing.inputPerMillionTokens).toBeGreaterThan(0);
  expect(known.body.model.contextWindow).toBeGreaterThan(1_000);
  const unknown = await platform.api("POST", "/api/admin/models", {
    token: admin.token,
    body: { provider, inferenceModelId: "not-in-the-catalog" },
  });
  expect(unknown.status, unknown.text).toBe(201);
  expect(unknown.body.model.pricing.inputPerMillionTokens).toBeNull();
});

test("accepts a provider that is listed because a settings file uses it, and stores it once", async ({
  platform,
  admin,
}) => {
  const listed = await platform.api("GET", "/api/providers");
  expect(listed.body.data).toContainEqual(expect.objectContaining({ slug: "openai", createdAt: null }));
  for (const id of ["first-of-listed", "second-of-listed"]) {
    const body = { provider: "openai", inferenceModelId: "gpt-4o-mini", id };
    const answer = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.model).toMatchObject({ id, provider: "openai" });
  }
  const stored = await platform.api("GET", "/api/admin/providers", { token: admin.token });
  const found = stored.body.data.filter(({ slug }: { slug: string }) => slug === "openai");
  expect(found).toMatchObject([{ kind: "openai", hasApiKey: false }]);
  const unknown = { provider: "nowhere", inferenceModelId: "m" };
  expect((await platform.api("POST", "/api/admin/models", { token: admin.token, body: unknown })).status).toBe(404);
});

describe("price rules", () => {
  const priority = { serviceTier: "priority", inputPerMillionTokens: 2_500_000_000 };

  test("come from the catalog with its price, and are removed when the price changes", async ({ platform, admin }) => {
    const provider = await addProvider(platform, admin.token);
    const body = { provider, inferenceModelId: "gpt-5", id: "ruled" };
    const created = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
    expect(created.status, created.text).toBe(201);
    expect(created.body.model.params.priceRules).toContainEqual({
      ...priority,
      outputPerMillionTokens: 20_000_000_000,
      cachedInputPerMillionTokens: 250_000_000,
    });
    const patch = (changes: object) =>
      platform.api("PATCH", "/api/admin/models/ruled", { token: admin.token, body: changes });
    const named = await patch({ name: "Ruled" });
    expect(named.body.model.params).toEqual(created.body.model.params);
    const repriced = await patch({ pricing });
    expect(repriced.body.model.params).toEqual({});
    const ruled = await patch({ params: { priceRules: [priority] } });
    expect(ruled.body.model.params).toEqual({ priceRules: [priority] });
  });

  test.for([
    [{ inputPerMillionTokens: 1_000 }, "params.priceRules.0 must have a condition"],
    [{ ...priority, inputPerMillionTokens: 1 }, "multiple of 1000"],
    [{ hours: { name: "peak", timeZone: "Mars", from: "01:00", to: "02:00" }, perRequest: 1 }, "hours.timeZone"],
  ] as const)("are rejected if the gateway can't use them: %j", async ([rule, problem], { platform, admin }) => {
    const provider = await addProvider(platform, admin.token);
    const body = { provider, inferenceModelId: "x", id: "refused-rule", params: { priceRules: [rule] } };
    const answer = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(problem);
  });
});

describe("model pricing", () => {
  const refused: readonly (readonly [string, unknown, string, string?])[] = [
    ["not a multiple of 1000", { ...pricing, inputPerMillionTokens: 1_001 }, "multiple of 1000"],
    ["negative", { ...pricing, outputPerMillionTokens: -1_000 }, "negative"],
    ["a fraction", { ...pricing, inputPerMillionTokens: 1_000.5 }, "whole number"],
    ["half a price", { inputPerMillionTokens: 1_000 }, "requires both"],
    ["a price per request", { ...pricing, perRequest: 1 }, "must be 0"],
    ["a unit the type is not charged by", { ...pricing, perImage: 1 }, "type image"],
    ["finer than a character can cost", { perMillionCharacters: 1_500 }, "1 pico-USD per character", "speech"],
    ["more than a token can cost", { ...pricing, inputPerMillionTokens: "1000000000001000" }, "at most"],
  ];
  for (const [name, wrong, problem, type = "chat"] of refused) {
    test(`rejects an invalid price: ${name}`, async ({ platform, admin }) => {
      const provider = await addProvider(platform, admin.token);
      const body = { provider, inferenceModelId: "x", id: "refused-price", type, pricing: wrong };
      const answer = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain(problem);
      expect((await platform.api("GET", "/api/models/refused-price")).status).toBe(404);
    });
  }

  const units = [
    ["image", { perImage: 40_000_000 }, "per_image_pico", "40000000000"],
    ["transcription", { perAudioSecond: 100_000 }, "per_second_pico", "100000000"],
    ["speech", { perMillionCharacters: 15_000_000_000 }, "per_character_pico", "15000000"],
  ] as const;
  for (const [type, price, column, pico] of units) {
    test(`bills a ${type} model by its own unit, without a token price by default`, async ({
      platform,
      admin,
      database,
    }) => {
      const provider = await addProvider(platform, admin.token);
      const id = `by-unit-${type}`;
      const body = { provider, inferenceModelId: id, type, pricing: price };
      const answer = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body.model.pricing).toMatchObject({ ...price, inputPerMillionTokens: null });
      const stored = () =>
        querySql<{ pico: string; input: string }>(
          database.connectionString,
          `select ${column}::text as pico, input_pico::text as input from catalogue_models as model
             join price_versions as price on price.id = model.price_version_id where model.id = '${id}'`,
        );
      expect(await stored()).toEqual([{ pico, input: "0" }]);
      const changes = { pricing: { inputPerMillionTokens: 2_000, outputPerMillionTokens: 0 } };
      const changed = await platform.api("PATCH", `/api/admin/models/${id}`, { token: admin.token, body: changes });
      expect(changed.body.model.pricing).toMatchObject({ ...price, inputPerMillionTokens: 2_000 });
      expect(await stored()).toEqual([{ pico, input: "2" }]);
    });
  }

  test("takes a known model's unit price from the catalog, without an additional price for output tokens", async ({
    platform,
    admin,
    database,
  }) => {
    const provider = await addProvider(platform, admin.token);
    const body = { provider, inferenceModelId: "whisper-1", type: "transcription" };
    const answer = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
    expect(answer.body.model.pricing).toMatchObject({ perAudioSecond: 100_000, inputPerMillionTokens: null });
    const speech = { provider, inferenceModelId: "gpt-4o-mini-tts", type: "speech" };
    const spoken = await platform.api("POST", "/api/admin/models", { token: admin.token, body: speech });
    expect(spoken.body.model.pricing).toMatchObject({
      inputPerMillionTokens: 2_500_000_000,
      outputPerMillionTokens: 0,
      perAudioSecond: 250_000,
    });
    const versions = await querySql<{ model: string }>(
      database.connectionString,
      "select model from price_versions where per_second_pico = 100000000 and input_pico = 0",
    );
    expect(versions).toContainEqual({ model: "openai/whisper-1" });
  });

  test("removes the price for the old type when a model's type changes", async ({ platform, admin }) => {
    const { token } = admin;
    const provider = await addProvider(platform, token);
    const body = { provider, inferenceModelId: "gpt-4o-mini-tts", id: "once-a-voice", type: "speech" };
    expect((await platform.api("POST", "/api/admin/models", { token, body })).status).toBe(201);
    const changed = await platform.api("PATCH", "/api/admin/models/once-a-voice", { token, body: { type: "chat" } });
    expect(changed.body.model.pricing).toMatchObject({ inputPerMillionTokens: null, perAudioSecond: null });
  });

  test("requires no output price for an embedding model", async ({ platform, admin }) => {
    const provider = await addProvider(platform, admin.token);
    const body = {
      provider,
      inferenceModelId: "vectors",
      type: "embedding",
      pricing: { inputPerMillionTokens: 20_000_000 },
    };
    const answer = await platform.api("POST", "/api/admin/models", { token: admin.token, body });
    expect(answer.body.model.pricing).toMatchObject({ inputPerMillionTokens: 20_000_000, outputPerMillionTokens: 0 });
  });

  test("adds a new version for a price change and leaves the old version unchanged", async ({
    platform,
    admin,
    database,
  }) => {
    const provider = await addProvider(platform, admin.token);
    const token = admin.token;
    const body = { provider, inferenceModelId: "priced", pricing };
    await platform.api("POST", "/api/admin/models", { token, body });
    const changed = await platform.api("PATCH", "/api/admin/models/priced", {
      token,
      body: { pricing: { outputPerMillionTokens: "900000000000" } },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.model.pricing).toMatchObject({
      inputPerMillionTokens: 200_000_000,
      outputPerMillionTokens: 900_000_000_000,
    });
    const versions = await querySql<{ output_pico: string }>(
      database.connectionString,
      "select output_pico::text from price_versions where model = 'openai/priced' order by output_pico",
    );
    expect(versions.map(({ output_pico }) => output_pico)).toEqual(["800000", "900000000"]);
    const audit = await querySql<{ action: string; before: unknown; after: unknown }>(
      database.connectionString,
      "select action, before, after from audit_log where target->>'id' = 'priced' order by seq",
    );
    expect(audit.map(({ action }) => action)).toEqual(["model.created", "model.price_changed"]);
    expect(Object.keys(audit[1]?.after as object).sort()).toEqual(["price", "priceVersionId"]);
  });
});

test("a model can be deprecated, disabled, and reactivated", async ({ platform, admin }) => {
  const { token } = admin;
  const provider = await addProvider(platform, token);
  await platform.api("POST", "/api/admin/models", { token, body: { provider, inferenceModelId: "fading", pricing } });
  const deprecated = await platform.api("PATCH", "/api/admin/models/fading", { token, body: { status: "deprecated" } });
  expect(deprecated.body.model).toMatchObject({ status: "deprecated", deprecatedAt: expect.any(String) });
  expect((await platform.api("DELETE", "/api/admin/models/fading", { token })).status).toBe(204);
  expect((await platform.api("DELETE", "/api/admin/models/fading", { token })).status).toBe(204);
  expect((await platform.api("GET", "/api/models?search=fading")).body.meta.total).toBe(0);
  expect((await platform.api("GET", "/api/models?search=fading&status=disabled")).body.meta.total).toBe(1);
  const again = await platform.api("PATCH", "/api/admin/models/fading", { token, body: { status: "active" } });
  expect(again.body.model).toMatchObject({ status: "active", deprecatedAt: null });
});

test("rejects a model name that is in use in the database or in the settings files", async ({ platform, admin }) => {
  const { token } = admin;
  const provider = await addProvider(platform, token);
  const create = (id: string) =>
    platform.api("POST", "/api/admin/models", { token, body: { provider, inferenceModelId: "x", id, pricing } });
  expect((await create("taken")).status).toBe(201);
  for (const id of ["taken", configured.id, "hidden-alias"]) {
    const answer = await create(id);
    expect(answer.status).toBe(409);
    expect(answer.body.details.reason).toBe("MODEL_EXISTS");
  }
});

test("rejects models with an unknown provider or an invalid name, and returns 404 for unknown models", async ({
  platform,
  admin,
}) => {
  const { token } = admin;
  const provider = await addProvider(platform, token);
  const create = (fields: object) =>
    platform.api("POST", "/api/admin/models", { token, body: { provider, inferenceModelId: "y", ...fields } });
  expect((await create({ provider: "unknown" })).status).toBe(404);
  for (const id of ["a*", "a b", "/a", "a,b", "", "a\n"]) expect((await create({ id })).status, id).toBe(400);
  expect((await create({ inferenceModelId: "***" })).status).toBe(400);
  expect((await create({ type: "video" })).status).toBe(400);
  expect((await create({ capabilities: ["flight"] })).status).toBe(400);
  expect((await platform.api("PATCH", "/api/admin/models/none", { token, body: {} })).body.details.reason).toBe(
    "MODEL_NOT_FOUND",
  );
  expect((await platform.api("DELETE", "/api/admin/models/none", { token })).status).toBe(404);
});

test("only an administrator with a recent password entry can change the catalog", async ({ platform, database }) => {
  const user = await platform.addUser();
  const admin = await platform.addUser({ role: "admin" });
  const stale = await platform.addUser({ role: "admin" });
  await querySql(
    database.connectionString,
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = ${stale.userId}`,
  );
  const changes = [
    ["POST", "/api/admin/models"],
    ["PATCH", "/api/admin/models/x"],
    ["DELETE", "/api/admin/models/x"],
    ["POST", "/api/admin/providers"],
    ["PATCH", "/api/admin/providers/x"],
    ["DELETE", "/api/admin/providers/x"],
  ] as const;
  for (const [method, path] of changes) {
    const call = (token?: string) =>
      platform.api(method, path, { ...(token !== undefined && { token }), ...(method !== "DELETE" && { body: {} }) });
    expect((await call()).status).toBe(401);
    expect((await call(user.token)).body.details.reason).toBe("ADMIN_REQUIRED");
    expect((await call(stale.token)).body.details.reason).toBe("REAUTHENTICATION_REQUIRED");
    expect([400, 404]).toContain((await call(admin.token)).status);
  }
  expect((await platform.api("GET", "/api/admin/providers", { token: user.token })).status).toBe(403);
});
