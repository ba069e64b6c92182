import { test as engines } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { startTestPlatform } from "../platform.fixture.ts";
import type { ListedModel } from "./model-source.ts";

const listed = (id: string, fields: Partial<ListedModel> = {}): ListedModel => ({
  id,
  mode: "chat",
  provider: "openai",
  contextWindow: null,
  maxOutputTokens: null,
  capabilities: [],
  inputModalities: ["text"],
  outputModalities: ["text"],
  price: null,
  ...fields,
});

const price = (input: bigint): ListedModel["price"] => ({
  inputPerMillionTokens: input,
  outputPerMillionTokens: input,
  cachedInputPerMillionTokens: null,
  perImage: null,
  perAudioSecond: null,
  perMillionCharacters: null,
  perRequest: 0n,
});

/** Models from the settings, and three database models, each created one second after the previous one. */
const test = engines
  .extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const models = [
      listed("pictures", { mode: "image_generation", price: price(9_000n) }),
      listed("voices", { mode: "audio_speech", provider: "sim" }),
      listed("ears", { mode: "audio_transcription" }),
      listed("acme/Shadowed", { price: price(1_000n) }),
    ];
    const platform = await startTestPlatform(database, {
      services: {
        models: {
          list: () => models,
          has: (name) => models.some(({ id }) => id === name),
          kinds: () => [{ name: "openai", needsBaseUrl: false }],
        },
      },
    });
    onCleanup(() => platform.close());
    const { token } = await platform.addUser({ role: "admin" });
    const add = async (path: string, body: object) => {
      platform.advance(1_000);
      const answer = await platform.api("POST", path, { token, body });
      expect(answer.status, answer.text).toBe(201);
    };
    await add("/api/admin/providers", {
      slug: "acme",
      kind: "openai",
      name: "ACME Inc",
      website: "https://acme.example",
    });
    const cost = (amount: number) => ({ inputPerMillionTokens: amount, outputPerMillionTokens: amount });
    await add("/api/admin/models", { provider: "acme", inferenceModelId: "a", name: "Zebra", pricing: cost(7_000) });
    await add("/api/admin/models", { provider: "acme", inferenceModelId: "b", name: "aardvark", type: "embedding" });
    await add("/api/admin/models", {
      provider: "acme",
      inferenceModelId: "c",
      id: "org/c",
      description: "Knows everything about STRASSE",
      pricing: cost(3_000),
    });
    return platform;
  })
  .extend("ids", { scope: "file" }, async ({ platform }) => async (query: string): Promise<readonly string[]> => {
    const { status, body, text } = await platform.api("GET", `/api/models?${query}`);
    expect(status, text).toBe(200);
    return body.data.map(({ id }: { id: string }) => id);
  });

const settingsModels = ["acme/Shadowed", "ears", "pictures", "voices"];

test("lists all callable models, newest first", async ({ ids }) => {
  expect(await ids("")).toEqual(["org/c", "b", "a", ...settingsModels]);
});

describe("the model list", () => {
  test.for<readonly [string, readonly string[]]>([
    ["sort=createdAt", [...settingsModels, "a", "b", "org/c"]],
    ["sort=name", ["b", "acme/Shadowed", "ears", "org/c", "pictures", "voices", "a"]],
    ["sort=-name", ["a", "voices", "pictures", "org/c", "ears", "acme/Shadowed", "b"]],
    ["sort=inputPrice", ["acme/Shadowed", "org/c", "a", "pictures", "b", "ears", "voices"]],
    ["sort=-inputPrice", ["pictures", "a", "org/c", "acme/Shadowed", "b", "ears", "voices"]],
    ["search=strasse", ["org/c"]],
    ["search=ACME", ["org/c", "b", "a", "acme/Shadowed"]],
    ["search=%25", []],
    ["type=image", ["pictures"]],
    ["type=image,speech", ["pictures", "voices"]],
    ["type=image&type=transcription,embedding", ["b", "ears", "pictures"]],
    ["provider=acme", ["org/c", "b", "a"]],
    ["provider=acme,sim", ["org/c", "b", "a", "voices"]],
    ["status=disabled", []],
    ["page=2&pageSize=3", ["acme/Shadowed", "ears", "pictures"]],
    ["page=9", []],
    ["unheardOf=1", ["org/c", "b", "a", ...settingsModels]],
  ])("supports %s", async ([query, expected], { ids }) => {
    expect(await ids(query)).toEqual(expected);
  });

  test.for([
    "type=video",
    "type=chat,video",
    "type=",
    "status=gone",
    "sort=cost",
    "page=0",
    "pageSize=101",
    "page=1.5",
  ])("rejects %s", async (query, { platform }) => {
    const { status, body } = await platform.api("GET", `/api/models?${query}`);
    expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("returns page counts", async ({ platform }) => {
    const { body } = await platform.api("GET", "/api/models?pageSize=3");
    expect(body.meta).toEqual({ page: 1, pageSize: 3, total: 7, totalPages: 3 });
  });
});

test("finds a model by an ID with a URL-encoded slash", async ({ platform }) => {
  expect((await platform.api("GET", "/api/models/org%2Fc")).body.model.id).toBe("org/c");
  expect((await platform.api("GET", "/api/models/voices")).body.model).toMatchObject({
    type: "speech",
    provider: "sim",
    status: "active",
    createdAt: null,
  });
  const missing = await platform.api("GET", "/api/models/nothing");
  expect([missing.status, missing.body.details.reason]).toEqual([404, "MODEL_NOT_FOUND"]);
});

test("model and provider lists are cacheable for a minute and support ETags", async ({ platform }) => {
  for (const path of ["/api/models", "/api/models/a", "/api/providers"]) {
    const first = await platform.api("GET", path);
    expect(first.headers.get("cache-control")).toBe("public, max-age=60");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await platform.api("GET", path, { headers: { "if-none-match": tag } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await platform.api("GET", path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  }
});

test("lists providers from the database and the settings, with their model counts", async ({ platform }) => {
  const { body } = await platform.api("GET", "/api/providers");
  expect(body.data).toEqual([
    {
      id: expect.stringMatching(/^prov_/),
      slug: "acme",
      name: "ACME Inc",
      website: "https://acme.example/",
      status: "available",
      modelCount: 3,
      createdAt: expect.any(String),
    },
    {
      id: "openai",
      slug: "openai",
      name: "openai",
      website: null,
      status: "available",
      modelCount: 3,
      createdAt: null,
    },
    { id: "sim", slug: "sim", name: "sim", website: null, status: "available", modelCount: 1, createdAt: null },
  ]);
  expect((await platform.api("GET", "/api/providers?search=inc")).body.meta.total).toBe(1);
});
