import { randomBytes } from "node:crypto";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { LOOPBACK_TARGETS } from "@tollgate/domain/network/allowed-target.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { startTestPlatform, type TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { test } from "@tollgate/server/billed-gateway.fixture.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { secretsRotate } from "./secrets-rotate.ts";

const CREDENTIAL = "sk-upstream-credential";
const newKey = () => new Secret(randomBytes(32).toString("hex"));
// All tests share one instance. The first test re-encrypts the instance's records with the new key.
const [oldKey, key] = [newKey(), newKey()];

/** Runs the command with these keys, newest first. */
async function rotate(database: TestDatabase, keys: readonly Secret[], ...args: string[]) {
  let [out, err] = ["", ""];
  const code = await secretsRotate(args, {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    env: {
      DATABASE_URL: database.connectionString,
      TOLLGATE_SECRET_KEY: keys[0]?.reveal(),
      ...(keys[1] && { TOLLGATE_SECRET_KEY_PREVIOUS: keys[1].reveal() }),
    },
    cwd: process.cwd(),
    apps,
  });
  return { code, out, err };
}

/** Creates one encrypted record of each type through the API. Returns an administrator's token. */
async function fill(platform: TestPlatform, origin: string, model: string) {
  const admin = await platform.addUser({ role: "admin" });
  const { token, organizationId } = admin;
  const act = async (path: string, body?: object) => {
    const answer = await platform.api("POST", path, { token, ...(body && { body }) });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const slug = `slug-${randomBytes(4).toString("hex")}`;
  const { provider } = await act("/api/admin/providers", {
    slug,
    kind: "openai_compatible",
    baseUrl: `${origin}/v1`,
    apiKey: CREDENTIAL,
  });
  const pricing = { inputPerMillionTokens: 0, outputPerMillionTokens: 0 };
  await act("/api/admin/models", { provider: slug, inferenceModelId: "x", id: model, pricing });
  await act("/api/auth/totp");
  await act("/api/webhooks", { url: "https://hooks.example/in", events: ["key.created"] });
  return { token, organizationId, providerId: provider.id as string, model };
}

const sealedQuery = `
  select api_key as sealed from provider_credentials union all select totp_secret from user_credentials where totp_secret is not null
  union all select private_key from signing_keys union all select secret from webhooks
  union all select record from assistants union all select record from threads union all select record from thread_messages
  union all select record from thread_runs union all select record from run_steps union all select record from responses`;

/** Creates one record of each type that the Assistants API stores, and one response. */
async function fillRecords(database: TestDatabase, secret: Secret): Promise<void> {
  const secrets = createSecretBox([secret]);
  const id = (prefix: string) => `${prefix}_${"0".repeat(24)}`;
  const add = (table: string, prefix: string, columns: object = {}) => {
    const sealed = secrets.seal("{}", `assistants:${id(prefix)}`);
    const row = { id: id(prefix), owner: "team:x", record: sealed, ...columns };
    return querySql(
      database.connectionString,
      `insert into ${table} (${Object.keys(row)}) values ('${Object.values(row).join("', '")}')`,
    );
  };
  await add("assistants", "asst");
  await add("threads", "thread");
  await add("thread_messages", "msg", { thread_id: id("thread") });
  const run = { thread_id: id("thread"), key_id: "key_x", assistant_id: id("asst"), status: "completed" };
  await add("thread_runs", "run", run);
  await add("run_steps", "step", { thread_id: id("thread"), run_id: id("run") });
  const responseId = `resp_${"0".repeat(32)}`;
  await querySql(
    database.connectionString,
    `insert into responses (id, owner, record)
     values ('${responseId}', 'team:x', '${secrets.seal("{}", `response:${responseId}`)}')`,
  );
}

test("re-encrypts all records with the new key while requests continue, and a second run changes nothing", async ({
  database,
  tollgate,
  upstreams,
}) => {
  upstreams.alpha.replies(200, chatAnswer());
  const before = await startTestPlatform(database, { secretKeys: [oldKey], ...inward });
  const { token, model } = await fill(before, upstreams.alpha.origin, "sealed-model");
  await fillRecords(database, oldKey);
  await before.close();

  const both = [key, oldKey];
  const platform = await startTestPlatform(database, { secretKeys: both, ...inward });
  const gateway = await tollgate.start({ secretKeys: both });
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  let isOver = false;
  const statuses = new Set<number>();
  const load = Array.from({ length: 3 }, async () => {
    while (!isOver) {
      statuses.add((await gateway.chat(tenant.apiKey, { model })).status);
      statuses.add((await platform.api("GET", "/api/auth/me", { token })).status);
    }
  });
  const first = await rotate(database, both, "--json");
  const second = await rotate(database, both, "--json");
  isOver = true;
  await Promise.all(load);
  await platform.close();
  expect([...statuses]).toEqual([200]);
  expect([first.code, second.code]).toEqual([0, 0]);
  const counts = (out: string) =>
    Object.fromEntries(
      JSON.parse(out).sealed.map((report: { name: string; total: number; resealed: number }) => [
        report.name,
        [report.total, report.resealed],
      ]),
    );
  expect(counts(first.out)).toEqual({
    "provider credentials": [1, 1],
    "one-time-code secrets": [1, 1],
    "signing keys": [1, 1],
    "webhook secrets": [1, 1],
    "request contents": [0, 0],
    assistants: [1, 1],
    threads: [1, 1],
    "thread messages": [1, 1],
    runs: [1, 1],
    "run steps": [1, 1],
    responses: [1, 1],
  });
  for (const [, resealed] of Object.values(counts(second.out)) as [number, number][]) expect(resealed).toBe(0);

  const alone = createSecretBox([key]);
  const rows = await querySql<{ sealed: string }>(database.connectionString, sealedQuery);
  expect(rows.every(({ sealed }) => !alone.isOutdated(sealed))).toBe(true);
  const after = await startTestPlatform(database, { secretKeys: [key], ...inward });
  expect((await after.api("GET", "/api/auth/me", { token })).status).toBe(200);
  expect((await after.services.tokens.issue({ userId: 1, sessionId: "x", jti: "y", role: "user" })).token).toBeTruthy();
  await after.close();
  const next = await tollgate.start({ secretKeys: [key] });
  expect((await next.chat(tenant.apiKey, { model })).status).toBe(200);
  const last = upstreams.alpha.requests.at(-1);
  expect(last?.headers.authorization).toBe(`Bearer ${CREDENTIAL}`);
});

test("records that no configured key can decrypt are counted and left unchanged", async ({ database }) => {
  const lost = newKey();
  const sealed = createSecretBox([lost]).seal("sk-x", "provider:prov_00000000000000000000000000");
  await runAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
    const id = "prov_00000000000000000000000000";
    await transaction.insertInto("providers").values({ id, slug: "lost", name: "lost", kind: "openai" }).execute();
    await transaction.insertInto("provider_credentials").values({ provider_id: id, api_key: sealed }).execute();
  });
  const { code, out } = await rotate(database, [key]);
  expect(code).toBe(1);
  expect(out).toContain("prov_00000000000000000000000000");
  const rows = await querySql<{ sealed: string }>(database.connectionString, sealedQuery);
  expect(rows.map((row) => row.sealed)).toContain(sealed);
  expect((await rotate(database, [key, lost])).out).toMatch(/✓ provider credentials/);
});

test("stored prompts are rotated in batches", async ({ database, tollgate }) => {
  const { organizationId } = await tollgate.addTenant({});
  const box = createSecretBox([oldKey]);
  const contents = Array.from({ length: 60 }, (_, index) => {
    const seal = (text: string) => box.seal(text, "call content");
    return `('${makeUuidV7(Date.now() + index)}', '${organizationId}', '${seal(`prompt ${index}`)}', '${seal("answer")}', false, now() + interval '1 day')`;
  });
  await querySql(
    database.connectionString,
    `insert into call_contents (id, organization_id, request, answer, is_cut, expires_at) values ${contents.join(",")}`,
  );
  const { out } = await rotate(database, [key, oldKey], "--json");
  const report = JSON.parse(out).sealed.find(({ name }: { name: string }) => name === "request contents");
  expect(report).toMatchObject({ total: 120, resealed: 120, unreadable: [] });
});

test("--signing rotates the signing key and keeps sessions valid, unless the old key is compromised", async ({
  database,
}) => {
  const platform = await startTestPlatform(database, { secretKeys: [key] });
  const old = await platform.addUser();
  const kidOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;
  const signing = await rotate(database, [key], "--signing", "--json");
  expect(signing.code, signing.err).toBe(0);
  const restarted = await startTestPlatform(database, { secretKeys: [key] });
  const fresh = await restarted.addUser();
  expect(kidOf(fresh.token)).toBe(JSON.parse(signing.out).signingKey);
  expect(kidOf(fresh.token)).not.toBe(kidOf(old.token));
  for (const { token } of [old, fresh]) {
    expect((await restarted.api("GET", "/api/auth/me", { token })).status).toBe(200);
    expect((await platform.api("GET", "/api/auth/me", { token })).status).toBe(200);
  }
  await rotate(database, [key], "--signing", "--compromised");
  const again = await startTestPlatform(database, { secretKeys: [key] });
  expect((await again.api("GET", "/api/auth/me", { token: old.token })).status).toBe(401);
  for (const each of [platform, restarted, again]) await each.close();
});

test("suggests a fix if keys are missing or too short", async ({ database }) => {
  expect((await rotate(database, [])).err).toContain("TOLLGATE_SECRET_KEY is not set");
  expect((await rotate(database, [new Secret("short")])).err).toContain("32 characters");
  expect((await rotate(database, [newKey()], "--compromised")).code).toBe(2);
});

const inward = {
  settings: { outboundAllow: LOOPBACK_TARGETS },
  services: {
    resolveHost: async (host: string) => (host === "hooks.example" ? ["93.184.215.14"] : ["127.0.0.1"]),
  },
};
