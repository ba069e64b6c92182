import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { registerNode } from "@tollgate/db/leases/register-node.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { migrate } from "@tollgate/db/migrate.ts";
import { describeMigration, newestNumber, readMigrations } from "@tollgate/db/schema/read-migrations.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { startEmbeddedPostgres } from "@tollgate/server/embedded-postgres/start-embedded-postgres.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { createEmptyDatabase, querySql } from "@tollgate/testkit/database.ts";
import { readEnginePorts } from "@tollgate/testkit/engine-ports.ts";
import { test } from "@tollgate/testkit/test.ts";
import { hang } from "@tollgate/testkit/upstream-behaviors.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { afterEach, beforeEach, expect } from "vitest";
import { doctor } from "./doctor.ts";
import type { Finding } from "./doctor-finding.ts";
import { assessJournal } from "./doctor-journal.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "tollgate-doctor-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let out = "";
  let err = "";
  const stdout = { write: (text: string) => (out += text) };
  const stderr = { write: (text: string) => (err += text) };
  const code = await doctor(args, { stdout, stderr, env, cwd, apps });
  return { code, out, err };
}

/** Returns the findings of the given checks. */
async function check(only: string, env: Readonly<Record<string, string>> = {}, ...args: string[]) {
  const { code, out } = await run(["--json", "--only", only, ...args], env);
  const report = JSON.parse(out) as { ok: boolean; checks: Finding[] };
  return { code, ok: report.ok, checks: report.checks };
}

function writeSettings(text: string): string {
  const path = join(cwd, "settings.yaml");
  writeFileSync(path, text);
  return path;
}

const upstreamSettings = (origin: string, more = "") =>
  `model_list: [{model_name: far, litellm_params: {model: openai/far-1, api_base: "${origin}/v1"${more}}}]`;

test("on a bare machine, every warning has a fix, no check fails, and the exit code is 0", async () => {
  const { code, out, err } = await run([]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^ {2}✓ version {12}\d+\.\d+\.\d+$/m);
  expect(out).toMatch(/^ {2}✓ runtime {12}Node 24\./m);
  expect(out).toMatch(
    /^ {2}! nats {15}not configured: usage events go directly to the database\n {23}Fix: If gateways and workers run on separate machines, set NATS_URL\./m,
  );
  expect(out).toMatch(/^ {2}! database {11}not configured\n {23}Fix: Set DATABASE_URL /m);
  expect(out).toMatch(/\n\n {2}\d warnings · \d passed\n$/);
});

test("reports the database's version, latency, and schema, and compares its clock with the local clock", async ({
  database,
}) => {
  const newest = newestNumber(readMigrations());
  const { code, checks } = await check("database,clock", { DATABASE_URL: database.connectionString });
  expect(code).toBe(0);
  expect(checks).toMatchObject([
    { name: "database", state: "passed", fix: null },
    { name: "clock", state: "passed" },
  ]);
  expect(checks[0]?.text).toMatch(new RegExp(`^postgres \\d+\\.\\d+, [\\d.]+ ms, schema ${newest} of ${newest}$`));
});

test("reports a missing schema as a warning and a newer schema as a failure, and changes neither", async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createEmptyDatabase();
  stack.defer(() => database.drop());
  const known = readMigrations();
  const env = { DATABASE_URL: database.connectionString };
  expect((await check("database", env)).checks).toMatchObject([
    { state: "warning", text: expect.stringContaining(`schema 0 of ${newestNumber(known)}`) },
  ]);
  const number = newestNumber(known) + 1;
  const next = describeMigration(`00${number}_future`, `-- contract: runs from schema ${number}\nselect 1`);
  expect(await migrate(database.connectionString, { migrations: [...known, next] })).toBe(known.length + 1);
  expect(await check("database", env)).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining(`schema ${number} is newer`) }],
  });
});

test("reports functions of another version as a warning, with the command that replaces them", async ({ database }) => {
  await querySql(database.connectionString, "update schema_functions set checksum = '' where name = 'settle_usage'");
  expect((await check("database", { DATABASE_URL: database.connectionString })).checks).toMatchObject([
    {
      state: "warning",
      text: expect.stringContaining("SQL functions of another version: 1"),
      fix: expect.stringContaining("tollgate migrate up"),
    },
  ]);
});

test("reports an unreachable database without printing its password, and skips the clock check", async () => {
  const { code, checks } = await check("database,clock", { DATABASE_URL: "postgres://me:covert@127.0.0.1:1/none" });
  expect(code).toBe(1);
  expect(checks).toMatchObject([{ name: "database", state: "failed" }]);
  expect(checks[0]?.text).toBe("postgres://me:***@127.0.0.1:1/none: connection refused");
});

test("reports a data folder without a running instance as a failure, with the command that starts the instance", async () => {
  expect(await check("database", {}, "--data", "data")).toMatchObject({
    code: 1,
    checks: [{ state: "failed", fix: `tollgate dev --data ${join(cwd, "data")}` }],
  });
});

test("checks the embedded database of a running development instance", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = join(cwd, "data");
  const postgres = await startEmbeddedPostgres({ dataDir });
  stack.defer(() => postgres.stop());
  await migrate(postgres.connectionString);
  const { code, checks } = await check("configuration,database,disk", {}, "--data", dataDir);
  expect(code).toBe(0);
  expect(checks.map(({ text }) => text)).toEqual([
    "development defaults valid, 1 deployment in 1 model group",
    expect.stringMatching(/^embedded postgres \d+\.\d+, /),
    expect.stringContaining(dataDir),
  ]);
});

test("reports invalid settings as a failure, with the location and the reason", async () => {
  const path = writeSettings("router_settings: {routing_stategy: simple-shuffle}\nmodel_list: 7");
  const { code, checks } = await check("configuration,prices,providers", {}, "--config", "settings.yaml");
  expect(code).toBe(1);
  expect(checks).toMatchObject([{ state: "failed", fix: `tollgate config check --config ${path}` }]);
  expect(checks[0]?.text).toContain("settings.yaml:2:");
  expect(checks[0]?.text).not.toContain("Check again");
});

test("verifies a provider key with a request, and sends no request for simulated models", async ({ upstreams }) => {
  upstreams.alpha.replies(200, { object: "list", data: [] });
  const path = writeSettings(
    `${upstreamSettings(upstreams.alpha.origin).slice(0, -1)}, {model_name: "sim/*", litellm_params: {model: "sim/*"}}]`,
  );
  const { code, checks } = await check("providers", { TOLLGATE_CONFIG: path, OPENAI_API_KEY: "covert" });
  expect(code).toBe(0);
  expect(checks).toMatchObject([
    { name: "provider openai", state: "passed", text: expect.stringMatching(/^127\.0\.0\.1:\d+ ok, \d+ ms$/) },
    { name: "provider simulated", state: "passed", text: "ok" },
  ]);
  const [asked] = upstreams.alpha.requests;
  expect(asked).toMatchObject({ method: "GET", path: "/v1/models", headers: { authorization: "Bearer covert" } });
});

test("reports a rejected key by the name of its environment variable and never shows the key", async ({
  upstreams,
}) => {
  upstreams.alpha.replies(401, { error: { message: "no" } });
  const path = writeSettings(upstreamSettings(upstreams.alpha.origin, ", api_key: os.environ/FAR_KEY"));
  const { code, out } = await run(["--only", "providers"], { TOLLGATE_CONFIG: path, FAR_KEY: "covert", OTHER: "x" });
  expect(code).toBe(1);
  expect(out).toBe(`  ✗ provider openai    401 from upstream: API key rejected
                       Fix: Update FAR_KEY, then run tollgate doctor --only providers.

  1 failed · 0 passed
`);
});

test("identifies a rejected key in the settings file by its line number", async ({ upstreams }) => {
  upstreams.alpha.replies(403);
  const path = writeSettings(upstreamSettings(upstreams.alpha.origin, ", api_key: covert"));
  const { checks } = await check("providers", { TOLLGATE_CONFIG: path });
  expect(checks[0]?.fix).toBe(`Update api_key at ${path}:1, then run tollgate doctor --only providers.`);
});

test("reports within the time limit that a provider hangs, fails, or is unavailable", async ({ upstreams }) => {
  const env = { TOLLGATE_CONFIG: writeSettings(upstreamSettings(upstreams.alpha.origin)) };
  upstreams.alpha.behaves(hang());
  expect((await check("providers", env)).checks[0]?.text).toContain("no response within 3 s");
  upstreams.alpha.replies(503);
  expect((await check("providers", env)).checks[0]).toMatchObject({
    state: "failed",
    text: expect.stringContaining("503"),
  });
  await upstreams.alpha.close();
  expect((await check("providers", env)).checks[0]).toMatchObject({ state: "failed" });
});

test("lists deployments without a price", async () => {
  const path = writeSettings(`model_list:
  - {model_name: known, litellm_params: {model: sim/echo}}
  - {model_name: own, litellm_params: {model: hosted_vllm/mine, api_base: "http://127.0.0.1:1"}}
  - {model_name: "own/*", litellm_params: {model: "hosted_vllm/*", api_base: "http://127.0.0.1:1"}}
`);
  expect((await check("prices", { TOLLGATE_CONFIG: path })).checks).toMatchObject([
    { state: "warning", text: "1 deployment without a price: own" },
  ]);
});

test("verifies that Redis and NATS respond, and rejects any other server at their URLs", async ({ upstreams }) => {
  const ports = readEnginePorts();
  const env = { REDIS_URL: `redis://127.0.0.1:${ports.redis}`, NATS_URL: `nats://127.0.0.1:${ports.nats}` };
  expect((await check("redis,nats", env)).checks).toMatchObject([{ state: "passed" }, { state: "passed" }]);
  expect((await check("redis", { REDIS_URL: upstreams.alpha.origin })).code).toBe(1);
  expect((await check("nats", { NATS_URL: "nats://127.0.0.1:1" })).code).toBe(1);
});

test("reports a NATS server without JetStream as a failure", async () => {
  await using stack = new AsyncDisposableStack();
  const server = createServer((socket) => socket.end('INFO {"server_id":"A","max_payload":1048576}\r\n'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.defer(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  expect(await check("nats", { NATS_URL: `nats://127.0.0.1:${port}` })).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining("JetStream is disabled") }],
  });
});

test("warns about several live gateways without Redis, but not about a single gateway", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const env = { DATABASE_URL: database.connectionString };
  const start = () => registerNode(db, { nodeId: makePrefixedId("node", Date.now()), knownEpoch: 0, host: "one" });
  await start();
  expect((await check("redis", env)).checks).toMatchObject([{ state: "passed" }]);
  await Promise.all([start(), start()]);
  expect((await check("redis", env)).checks).toMatchObject([
    { state: "warning", text: "not configured: each of the 3 processes enforces its own share of a rate limit" },
  ]);
});

test("reports a clock offset of a few seconds as a warning and a larger offset as a failure", async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createEmptyDatabase();
  stack.defer(() => database.drop());
  const env = { DATABASE_URL: database.connectionString };
  const setClockBack = (seconds: number) =>
    querySql(
      database.connectionString,
      `create or replace function public.clock_timestamp() returns timestamptz language sql
         return pg_catalog.clock_timestamp() - interval '${seconds} seconds';
       alter database ${database.name} set search_path = public, pg_catalog`,
    );
  await setClockBack(3);
  expect((await check("clock", env)).checks).toMatchObject([
    {
      state: "warning",
      text: expect.stringMatching(/^offset (2[5-9]|3)\d{2,3} ms/),
      fix: expect.stringContaining("NTP"),
    },
  ]);
  await setClockBack(60);
  expect(await check("clock", env)).toMatchObject({ code: 1, checks: [{ state: "failed" }] });
});

test("with billing enabled, reports that requests to deployments without a price are refused", async () => {
  const path = writeSettings(`billing: {provider: fake}
model_list:
  - {model_name: own, litellm_params: {model: hosted_vllm/mine, api_base: "http://127.0.0.1:1"}}
  - {model_name: other, litellm_params: {model: hosted_vllm/other, api_base: "http://127.0.0.1:1"}}
`);
  expect((await check("prices", { TOLLGATE_CONFIG: path })).checks).toMatchObject([
    { state: "warning", text: "2 deployments without a price, so their requests are refused: own, other" },
  ]);
});

const disputedModel = loadCatalog()
  .models()
  .find(({ provider, disputes }) => provider === "openai" && disputes.length > 0)?.id as string;

test("fails if a price in use is disputed, stale, or below the provider's price", async () => {
  const prices = (model: string, more = "") =>
    check("prices", {
      TOLLGATE_CONFIG: writeSettings(`prices: {maxAgeDays: 3650}
model_list:
  - {model_name: used, litellm_params: {model: ${model}, api_key: unused${more}}}
`),
    });
  expect(await prices("openai/gpt-4o")).toMatchObject({ code: 0, checks: [{ state: "passed" }] });
  expect(await prices(disputedModel)).toMatchObject({ code: 1, checks: [{ state: "failed" }] });
  const own = ", input_cost_per_token: 0.000002, output_cost_per_token: 0.00001";
  expect(await prices("openai/gpt-4o", own)).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining("sold below the provider's price: used (input") }],
  });
  const high = ", input_cost_per_token: 0.0001, output_cost_per_token: 0.0001";
  expect(await prices(disputedModel, high)).toMatchObject({ code: 0, checks: [{ state: "passed" }] });
});

test("names each disputed model with the amounts of both sources, the one that applies, and the command to decide", async () => {
  const run = (rule: string) =>
    check("prices", {
      TOLLGATE_CONFIG: writeSettings(`prices: {disputed: ${rule}, maxAgeDays: 3650}
model_list:
  - {model_name: fast, litellm_params: {model: openai/gpt-4.1, api_key: unused}}
  - {model_name: also, litellm_params: {model: openai/gpt-4.1, api_key: unused}}
  - {model_name: voice, litellm_params: {model: openai/gpt-4o-mini-tts, api_key: unused}}
`),
    });
  const { code, checks } = await run("higher");
  expect(code).toBe(1);
  expect(checks.map(({ text, fix }) => [text, fix])).toEqual([
    [
      "openai/gpt-4.1 (used by fast, also): sources disagree about 2 prices, and the higher amounts apply\n" +
        "file search: litellm none, genai-prices $0.0025; $0.0025 applies\n" +
        "web search: litellm $0.025, genai-prices $0.01; $0.025 applies",
      "Compare the amounts with the provider's, then run tollgate prices confirm openai/gpt-4.1 --use first (litellm), second (genai-prices), or higher.",
    ],
    [
      "openai/gpt-4o-mini-tts (used by voice): sources disagree about 2 prices, and the higher amounts apply\n" +
        "input, per million tokens: litellm $2.5, genai-prices $0.6; $2.5 applies\n" +
        "output, per million tokens: litellm $10, genai-prices $12; $12 applies",
      "Compare the amounts with the provider's, then run tollgate prices confirm openai/gpt-4o-mini-tts --use first (litellm), second (genai-prices), or higher.",
    ],
  ]);
  const refused = await run("refuse");
  expect(refused.checks[0]?.text).toContain("about 2 prices, and its requests are refused\n");
  expect(refused.checks[0]?.text).toContain("web search: litellm $0.025, genai-prices $0.01; none applies");
});

test("describes five disputed models and counts the others", async () => {
  const models = loadCatalog()
    .models()
    .filter(({ provider, disputes }) => provider === "openai" && disputes.length > 0)
    .slice(0, 7);
  const list = models.map(({ id }) => `  - {model_name: ${id}, litellm_params: {model: ${id}, api_key: unused}}`);
  const path = writeSettings(`prices: {maxAgeDays: 3650}\nmodel_list:\n${list.join("\n")}\n`);
  const { checks } = await check("prices", { TOLLGATE_CONFIG: path });
  expect(checks).toHaveLength(6);
  expect(checks[5]).toMatchObject({ state: "failed", text: "2 more models in use have disputed prices" });
});

test("warns if catalog prices are older than half the age limit, and fails if they are older than the limit", async () => {
  const { pricesAsOf } = loadCatalog();
  const ageDays = Math.floor((Date.now() - Date.parse(pricesAsOf)) / 86_400_000);
  const prices = (maxAgeDays: number) =>
    check("prices", {
      TOLLGATE_CONFIG: writeSettings(`prices: {maxAgeDays: ${maxAgeDays}}
model_list:
  - {model_name: free, litellm_params: {model: sim/echo}}
  - {model_name: used, litellm_params: {model: openai/gpt-4o, api_key: unused}}
`),
    });
  // The second run may be on the next day.
  expect(await prices(2 * ageDays + 4)).toMatchObject({ code: 0, checks: [{ state: "passed" }] });
  const text = new RegExp(
    `^catalog prices are from ${pricesAsOf}, \\d+ days ago, used by used\\nThis check fails after`,
  );
  expect(await prices(ageDays + 1)).toMatchObject({
    code: 0,
    checks: [{ state: "warning", text: expect.stringMatching(text) }],
  });
  expect(await prices(1)).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringMatching(/ days ago, and prices\.maxAgeDays is 1, used by used$/) }],
  });
});

test("fails if a provider reported higher costs than requests were sold for", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  const used = (reportedCost: bigint) => ({
    provider: "openrouter",
    usage: { ...NO_USAGE, inputTokens: 1_000, reportedCost },
  });
  await settleUsage(worker, [
    makeUsageEvent(tenant, 1_000n, used(1_500n)),
    makeUsageEvent(tenant, 1_000n, { ...used(1_000n), modelGroup: "fair" }),
  ]);
  const path = writeSettings("prices: {maxAgeDays: 3650}\nmodel_list: []");
  const env = { TOLLGATE_CONFIG: path, DATABASE_URL: database.connectionString };
  expect(await check("prices", env)).toMatchObject({
    code: 1,
    checks: [
      {
        state: "failed",
        text: "openrouter charged $0.0000015 for 1 request to fast in 7 days, and they were sold for $0.000001",
      },
    ],
  });
});

test("a discount below the provider's price fails, and prices_are_costs makes a lower price the provider's", async () => {
  const prices = (settings: string, more = "") =>
    check("prices", {
      TOLLGATE_CONFIG: writeSettings(`prices: {maxAgeDays: 3650}
${settings}
model_list:
  - {model_name: used, litellm_params: {model: openai/gpt-4o, api_key: unused${more}}}
`),
    });
  expect(await prices("gw_settings: {cost_margin: {openai: 0.1}}")).toMatchObject({ code: 0 });
  expect(await prices("gw_settings: {cost_discount: {openai: 0.1}}")).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining("sold below the provider's price: used (input") }],
  });
  const own = ", input_cost_per_token: 0.000002, output_cost_per_token: 0.00001, prices_are_costs: true";
  expect(await prices("", own)).toMatchObject({ code: 0 });
});

test("a flat price fails if it is below the provider's price under one condition only", async () => {
  const prices = (model: string, more: string) =>
    check("prices", {
      TOLLGATE_CONFIG: writeSettings(`prices: {maxAgeDays: 3650}
model_list:
  - {model_name: used, litellm_params: {model: ${model}, api_key: unused${more}}}
`),
    });
  const flat = (input: string, output: string) => `, input_cost_per_token: ${input}, output_cost_per_token: ${output}`;
  expect(await prices("deepseek/deepseek-v4-flash", flat("0.0000003", "0.000001"))).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringMatching(/used \(peak hours: input, .*output/) }],
  });
  expect(await prices("deepseek/deepseek-v4-flash", flat("0.000001", "0.00001"))).toMatchObject({ code: 0 });
  expect(await prices("gemini/gemini-2.5-pro", flat("0.000002", "0.00002"))).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining("used (input above 200000 tokens: input, cacheWrite") }],
  });
  expect(await prices("gemini/gemini-2.5-pro", flat("0.000003", "0.00002"))).toMatchObject({ code: 0 });
  const tokens = flat("0.001", "0.001");
  expect(await prices("perplexity/sonar", tokens)).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining("perWebSearch") }],
  });
  expect(
    await prices("perplexity/sonar", `${tokens}, web_search_cost_per_query: 1, input_cost_per_request: 1`),
  ).toMatchObject({
    code: 0,
  });
});

test("warns about disputed models that only a wildcard serves", async () => {
  const path = writeSettings(`prices: {maxAgeDays: 3650}
model_list:
  - {model_name: "openai/*", litellm_params: {model: "openai/*", api_key: unused}}
`);
  expect(await check("prices", { TOLLGATE_CONFIG: path })).toMatchObject({
    code: 0,
    checks: [{ state: "warning", text: expect.stringContaining("can be called through wildcards") }],
  });
});

test("tests the journal directory itself and leaves no files behind", async () => {
  const { code, checks } = await check("journal");
  expect(code).toBe(0);
  expect(checks[0]?.text).toMatch(/\.tollgate\/journal, \d+ [MG]iB free, sync \d+\.\d ms$/);
  expect(readdirSync(cwd)).toEqual([]);
  const elsewhere = await check("journal", { TOLLGATE_JOURNAL_DIR: "usage" });
  expect(elsewhere.checks[0]?.text).toContain(join(cwd, "usage,"));
  const ofDevelopment = await check("journal", {}, "--data", "data");
  expect(ofDevelopment.checks[0]?.text).toContain(join(cwd, "data/journal,"));
});

test("reports an unwritable journal directory as a failure, with the reason", async () => {
  writeFileSync(join(cwd, "file"), "");
  expect(await check("journal", { TOLLGATE_JOURNAL_DIR: "file/journal" })).toMatchObject({
    code: 1,
    checks: [{ state: "failed", text: expect.stringContaining("is not writable: ENOTDIR") }],
  });
});

test("warns about a journal disk with little space or slow syncs, and fails if the disk is nearly full", () => {
  const judge = (freeMiB: number, syncMs: number) =>
    assessJournal("/journal", { kind: "tried", freeBytes: freeMiB * 1024 ** 2, syncMs });
  expect(judge(1_024, 0.4)).toMatchObject({ state: "passed", text: "/journal, 1 GiB free, sync 0.4 ms" });
  expect(judge(1_023, 0.4)).toMatchObject({ state: "warning", text: expect.stringContaining("1023 MiB free") });
  expect(judge(255, 0.4)).toMatchObject({ state: "failed" });
  expect(judge(4_096, 12)).toMatchObject({ state: "warning", fix: expect.stringContaining("faster local disk") });
});

test("passes for a mail server that responds, fails for any other server, and warns if no mail server is configured", async () => {
  let greeting = "220 mail.example.org ready\r\n";
  const server = createServer((socket) => socket.end(greeting));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const path = writeSettings(
      `{email: {url: "smtp://me:covert@127.0.0.1:${port}"}, platform: {publicUrl: "https://gw.example.org"}}`,
    );
    const env = { TOLLGATE_CONFIG: path };
    expect((await check("email", env)).checks).toMatchObject([
      { state: "passed", text: expect.stringContaining(`:${port}`) },
    ]);
    greeting = "HTTP/1.1 400 Bad Request\r\n\r\n";
    const wrong = await check("email", env);
    expect(wrong.checks).toMatchObject([{ state: "failed", fix: expect.stringContaining("email.url") }]);
    expect(JSON.stringify(wrong.checks)).not.toContain("covert");
  } finally {
    server.close();
  }
  expect((await check("email")).checks).toMatchObject([{ state: "warning" }]);
});

test.for([
  ["off", "passed"],
  ["fake", "warning"],
  ["stripe, stripe: {secretKey: sk_test_covert}", "warning"],
  [`stripe, stripe: {secretKey: sk_test_covert, webhookSecrets: [whsec_${"x".repeat(32)}]}`, "passed"],
] as const)("reports payments with provider %s as %s", async ([provider, state]) => {
  const path = writeSettings(`billing: {provider: ${provider}}`);
  const { checks } = await check("payments", { TOLLGATE_CONFIG: path });
  expect(checks).toMatchObject([{ name: "payments", state }]);
  expect(JSON.stringify(checks)).not.toContain("covert");
});

test.for([
  ["{}", "warning"],
  ["{mode: open, verifyEmail: true}", "passed"],
  ["{mode: invite}", "passed"],
  ["{mode: closed}", "passed"],
] as const)("reports sign-up %s as %s", async ([signUp, state]) => {
  const mail = "email: {url: smtp://mail.example.org}\nplatform: {publicUrl: https://gw.example.org}";
  const path = writeSettings(`${mail}\nsignUp: ${signUp}`);
  const { code, checks } = await check("sign-up", { TOLLGATE_CONFIG: path });
  expect({ code, checks }).toMatchObject({ code: 0, checks: [{ name: "sign-up", state }] });
  if (state === "warning") expect(checks[0]?.fix).toContain("signUp.verifyEmail to true");
});

test("reports a secret key that is too short as a failure without printing the key", async () => {
  const { code, checks } = await check("secret-key", { TOLLGATE_SECRET_KEY: "covert" });
  expect({ code, text: checks[0]?.text }).toEqual({ code: 1, text: "set, but only 6 bytes" });
  expect(await check("secret-key", { TOLLGATE_SECRET_KEY: "k".repeat(32) })).toMatchObject({
    code: 0,
    checks: [{ state: "passed", text: "set, 32 bytes" }],
  });
});

test("--only accepts check names in any order and rejects unknown names", async () => {
  expect((await check("disk,version")).checks.map(({ name }) => name)).toEqual(["version", "disk"]);
  const { code, err } = await run(["--only", "weather"]);
  expect(code).toBe(2);
  expect(err).toContain("Unknown check 'weather'. Checks: version, runtime,");
});

test("--only rejects the old name of a renamed check and suggests the new name", async () => {
  expect(await run(["--only", "mail"])).toMatchObject({ code: 2, err: expect.stringContaining("renamed to email") });
});
