import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatAnswer, chatFrames, errorAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { test } from "./billed-gateway.fixture.ts";

const OWN_KEY = "sk-own-canary-3141592653589793";

/** Prices in nano-USD per token of calls with the caller's own key. */
const OWN_INPUT = 100n;
const OWN_OUTPUT = 200n;
const models = `
  - model_name: own
    litellm_params:
      model: openai/own
      api_base: "{origin}/v1"
      api_key: sk-operator-0123456789
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000002
      configurable_clientside_auth_params: [api_key]
      own_key_price: { input_cost_per_token: 0.0000001, output_cost_per_token: 0.0000002 }
  - model_name: free-own
    litellm_params:
      model: openai/own
      api_base: "{origin}/v1"
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000002
      configurable_clientside_auth_params: [api_key]
`;

test("calls with the caller's own key are held and settled at their own price", async ({ tollgate, upstreams }) => {
  const gateway = await tollgate.start({ models });
  const tenant = await tollgate.addTenant({ credit: 1_000_000n });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 100, outputTokens: 10 }));
  expect((await gateway.chat(tenant.apiKey, { model: "own", api_key: OWN_KEY, max_tokens: 50 })).status).toBe(200);
  const [row] = await tollgate.settled(tenant, 1);
  const cost = 100n * OWN_INPUT + 10n * OWN_OUTPUT;
  expect(row).toMatchObject({ cost, status: "success", model_group: "own" });
  expect(row?.hold).toBeGreaterThanOrEqual(cost);
  expect(await tollgate.balanceOf(tenant)).toBe(1_000_000n - cost);
  // The whole balance covers such a call many times, but not one call at the usual price.
  const poor = await tollgate.addTenant({ credit: cost * 2n });
  const asked = { model: "own", max_tokens: 50 };
  expect((await gateway.chat(poor.apiKey, asked)).status).toBe(429);
  expect((await gateway.chat(poor.apiKey, { ...asked, api_key: OWN_KEY })).status).toBe(200);
  await tollgate.settled(poor, 1);
});

test("calls without a price for own keys cost nothing and need no credit", async ({ tollgate, upstreams }) => {
  const gateway = await tollgate.start({ models });
  const tenant = await tollgate.addTenant({});
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 100, outputTokens: 10 }));
  expect((await gateway.chat(tenant.apiKey, { model: "free-own", api_key: OWN_KEY })).status).toBe(200);
  expect(await tollgate.settled(tenant, 1)).toMatchObject([{ cost: 0n, status: "success" }]);
});

test("a caller's own key is in no log, journal, database, or Redis", async ({
  tollgate,
  upstreams,
  database,
  redis,
}) => {
  const journalRoot = await mkdtemp(join(tmpdir(), "tollgate-own-keys-"));
  const lines: string[] = [];
  const note = (message: string, fields?: unknown) => {
    lines.push(`${message} ${JSON.stringify(fields)} ${String((fields as { error?: unknown } | undefined)?.error)}`);
  };
  const gateway = await tollgate.start({
    models,
    journalRoot,
    redisUrl: redis.url,
    yaml: `gw_settings: { cache: true, cache_params: { type: redis, url: "${redis.url}" } }`,
    logger: { info: note, warn: note, error: note },
  });
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  const ask = async (fields: object) =>
    (await gateway.chat(tenant.apiKey, { model: "own", api_key: OWN_KEY, caching: true, ...fields })).text();
  upstreams.alpha.replies(200, chatAnswer());
  await ask({ user: "someone", metadata: { a: 1 } });
  upstreams.alpha.streams(chatFrames());
  await ask({ stream: true });
  upstreams.alpha.replies(401, errorAnswer(`Incorrect API key provided: ${OWN_KEY}`, { code: "invalid_api_key" }));
  expect(await ask({})).not.toContain(OWN_KEY);
  upstreams.alpha.replies(500, `<html>${OWN_KEY}</html>`);
  expect(await ask({ num_retries: 0 })).not.toContain(OWN_KEY);
  upstreams.alpha.replies(200, `garbage ${OWN_KEY}`);
  expect(await ask({ num_retries: 0 })).not.toContain(OWN_KEY);
  expect(await ask({ temperature: OWN_KEY })).toContain("temperature");
  await tollgate.settled(tenant, 5);
  await gateway.stop();

  expect(lines.join("\n")).not.toContain(OWN_KEY);
  const files = await readdir(journalRoot, { recursive: true, withFileTypes: true });
  const journal = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  expect(journal.length).toBeGreaterThan(0);
  for (const file of journal) expect((await readFile(file)).includes(OWN_KEY), file).toBe(false);
  const rows = await readDatabase(database.connectionString);
  expect(rows).toContain(tenant.keyId);
  expect(rows).not.toContain(OWN_KEY);
  const stored: string[] = [];
  for await (const keys of redis.client.scanIterator()) {
    for (const key of keys) stored.push(key, String(await redis.client.dump(key)));
  }
  expect(stored.join("\n")).not.toContain(OWN_KEY);
  await rm(journalRoot, { recursive: true, force: true });
});

/** Returns every row of every table as text. */
async function readDatabase(connectionString: string): Promise<string> {
  const tables = await querySql<{ name: string }>(
    connectionString,
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  let texts = "";
  for (const { name } of tables) {
    const rows = await querySql<{ row: string }>(connectionString, `select t::text as row from ${name} t`);
    texts += rows.map(({ row }) => `${name} ${row}\n`).join("");
  }
  return texts;
}
