import { querySql } from "@tollgate/testkit/database.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";

const SECRET = "sk-canary-abcdef0123456789";
const inward = new Map<string, readonly string[]>([
  ["inward.example", ["10.0.0.7"]],
  ["both.example", ["93.184.215.14", "::1"]],
  ["mapped.example", ["::ffff:169.254.169.254"]],
]);

/** A platform with a public HTTPS URL. */
const test = engines
  .extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const platform = await startTestPlatform(database, {
      settings: { publicUrl: "https://tollgate.example" },
      services: {
        resolveHost: async (host) => {
          if (host === "nowhere.example") throw new Error("ENOTFOUND");
          return inward.get(host) ?? ["93.184.215.14"];
        },
      },
    });
    onCleanup(() => platform.close());
    return platform;
  })
  .extend("act", { scope: "file" }, async ({ platform }) => {
    const { token } = await platform.addUser({ role: "admin" });
    return (method: string, path: string, body?: object) =>
      platform.api(method, path, { token, ...(body && { body }) });
  });

test("creates, returns, updates, and deletes a provider without ever showing its credential", async ({
  act,
  database,
}) => {
  const created = await act("POST", "/api/admin/providers", {
    slug: "house",
    kind: "openai_compatible",
    name: "House",
    baseUrl: "https://API.example/v1/",
    apiKey: SECRET,
    website: "https://house.example",
  });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body.provider;
  expect(created.body.provider).toEqual({
    id: expect.stringMatching(/^prov_[0-9A-HJKMNP-TV-Z]{26}$/),
    slug: "house",
    name: "House",
    website: "https://house.example/",
    status: "available",
    modelCount: 0,
    kind: "openai_compatible",
    baseUrl: "https://api.example/v1",
    hasApiKey: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await act("GET", `/api/admin/providers/${id}`)).body).toEqual(created.body);
  expect((await act("GET", "/api/admin/providers?search=house")).body.data).toEqual([created.body.provider]);
  const renamed = await act("PATCH", "/api/admin/providers/house", { name: "Home", website: null, status: "degraded" });
  expect(renamed.body.provider).toMatchObject({ name: "Home", website: null, status: "degraded", hasApiKey: true });
  const locked = await act("PATCH", `/api/admin/providers/${id}`, { apiKey: null });
  expect(locked.body.provider.hasApiKey).toBe(false);
  expect((await act("DELETE", `/api/admin/providers/${id}`)).status).toBe(204);
  expect((await act("GET", `/api/admin/providers/${id}`)).status).toBe(404);
  expect((await act("DELETE", `/api/admin/providers/${id}`)).status).toBe(404);
  const audit = await querySql<{ action: string; text: string }>(
    database.connectionString,
    `select action, a::text as text from audit_log as a where target->>'id' = '${id}' order by seq`,
  );
  expect(audit.map(({ action }) => action)).toEqual([
    "provider.created",
    "provider.updated",
    "provider.credential_changed",
    "provider.deleted",
  ]);
  expect(JSON.stringify([audit, created.text, renamed.text])).not.toContain(SECRET);
  expect((await act("POST", "/api/admin/providers", { slug: "house", kind: "openai" })).status).toBe(201);
});

test("a repeated request with the same idempotency key adds only one provider", async ({ platform, database }) => {
  const { token } = await platform.addUser({ role: "admin" });
  const body = { slug: "once", kind: "openai", apiKey: SECRET };
  const ask = () =>
    platform.api("POST", "/api/admin/providers", { token, body, headers: { "idempotency-key": "one" } });
  const [first, second] = [await ask(), await ask()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.text).toBe(first.text);
  const kept = await querySql(database.connectionString, "select t::text as text from idempotency_keys as t");
  expect(JSON.stringify(kept)).not.toContain(SECRET);
});

test("a provider with models can't be deleted or change its kind, and its slug can't be reused", async ({ act }) => {
  await act("POST", "/api/admin/providers", { slug: "busy", kind: "openai" });
  await act("POST", "/api/admin/models", { provider: "busy", inferenceModelId: "m" });
  const refused = await act("DELETE", "/api/admin/providers/busy");
  expect([refused.status, refused.body.details.reason]).toEqual([409, "IN_USE"]);
  const taken = await act("POST", "/api/admin/providers", { slug: "busy", kind: "openai" });
  expect([taken.status, taken.body.details.reason]).toEqual([409, "PROVIDER_EXISTS"]);
  await act("POST", "/api/admin/providers", { slug: "other", kind: "openai" });
  expect((await act("PATCH", "/api/admin/providers/other", { slug: "busy" })).status).toBe(409);
  expect((await act("PATCH", "/api/admin/providers/busy", { kind: "sim" })).status).toBe(409);
  await act("DELETE", "/api/admin/models/m");
  expect((await act("DELETE", "/api/admin/providers/busy")).status).toBe(204);
});

test.for<readonly [string, object]>([
  ["an unknown kind", { kind: "telepathy" }],
  ["a missing base URL if the kind has no default", { kind: "openai_compatible" }],
  ["a slug with uppercase letters", { slug: "House" }],
  ["an API key that is not a valid header value", { apiKey: "sk-a\r\nx-other: 1" }],
  ["a website URL that runs a script", { website: "javascript:alert(1)" }],
  ["an unknown status", { status: "gone" }],
])("rejects %s", async ([, fields], { act }) => {
  const answer = await act("POST", "/api/admin/providers", { slug: "refused", kind: "openai", ...fields });
  expect([answer.status, answer.body.code], answer.text).toEqual([400, "VALIDATION_ERROR"]);
});

describe("base URL validation", () => {
  test.for([
    "http://api.example/v1",
    "http://127.0.0.1:8000/v1",
    "https://127.0.0.1/v1",
    "https://2130706433/v1",
    "https://0x7f.1/v1",
    "https://[::ffff:7f00:1]/v1",
    "https://169.254.169.254/latest",
    "https://localhost/v1",
    "https://inward.example/v1",
    "https://both.example/v1",
    "https://mapped.example/v1",
    "https://api.example@evil.example/v1",
    "https://api.example/v1#x",
    "https://api.example/v1?x=1",
    "https://api.example\\.evil.example/v1",
  ])("rejects %s", async (baseUrl, { act }) => {
    const body = { slug: "inside", kind: "openai_compatible", baseUrl, apiKey: SECRET };
    const answer = await act("POST", "/api/admin/providers", body);
    expect([answer.status, answer.body.details.reason], answer.text).toEqual([400, "TARGET_REFUSED"]);
    expect((await act("PATCH", "/api/admin/providers/house", { baseUrl, apiKey: SECRET })).status).toBe(400);
    expect((await act("GET", "/api/admin/providers?search=inside")).body.meta.total).toBe(0);
  });

  test("accepts a host name that doesn't resolve yet, because the address is checked again for each connection", async ({
    act,
  }) => {
    const body = { slug: "later", kind: "openai_compatible", baseUrl: "https://nowhere.example/v1" };
    expect((await act("POST", "/api/admin/providers", body)).status).toBe(201);
  });
});

test("row-level security hides provider credentials from everyone except administrators", async ({ act, platform }) => {
  await act("POST", "/api/admin/providers", { slug: "sealed", kind: "openai", apiKey: SECRET });
  const { db } = platform.services;
  expect(await db.selectFrom("provider_credentials").selectAll().execute()).toEqual([]);
  expect((await db.selectFrom("providers").selectAll().execute()).length).toBeGreaterThan(0);
  await expect(
    db
      .insertInto("providers")
      .values({ id: `prov_${"0".repeat(26)}`, slug: "x", name: "x", kind: "x" })
      .execute(),
  ).rejects.toThrow(/row-level security/);
  const changed = await db.updateTable("catalogue_models").set({ status: "disabled" }).executeTakeFirst();
  expect(changed.numUpdatedRows).toBe(0n);
});
