import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { expect, onTestFinished } from "vitest";
import { test as hostedPlatform, type Person } from "./hosted-platform.fixture.ts";

interface Shown {
  readonly id: string;
  readonly available: boolean | null;
  readonly source: string | null;
  readonly performance: { readonly requests: number | null; readonly cells: readonly object[] } | null;
}

const AS_ADMINISTRATOR =
  "select set_config('tollgate.administrator', 'on', false), set_config('tollgate.door', 'on', false);";
const PUBLIC = "general_settings: { enable_public_model_hub: true }";
const STORED = 300;

/** Adds 300 stored models and another organization's usage before the hub is first read. */
const test = hostedPlatform.extend("stock", { scope: "file" }, async ({ database }) => {
  const provider = makePrefixedId("prov", Date.now());
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
  await querySql(
    database.connectionString,
    `${AS_ADMINISTRATOR} insert into providers (id, slug, name, kind) values ('${provider}', 'many', 'Many', 'openai');
     insert into catalogue_models (id, name, provider_id, inference_model_id, type)
     values ('unpriced', 'unpriced', '${provider}', 'not-in-the-catalog', 'chat');
     insert into catalogue_models (id, name, provider_id, inference_model_id, type, description)
     select 'stored/' || number, 'many ' || number, '${provider}', 'gpt-4o-mini', 'chat', 'One of many'
       from generate_series(1, ${STORED}) as number;
     insert into usage_rollups (organization_id, bucket_at, team_id, key_id, model_group, provider, requests, errors,
       input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency_ms_sum, latency_3)
     values ('org_of_others', '${hour}', '', 'key', 'metered', 'openai', 400, 1, 0, 0, 0, 0, 0, 0, 0, 400)`,
  );
  return STORED;
});

test("a private hub requires a login, and a public hub requires no login but shows less data", async ({
  hosted,
  upstream,
  database,
  stock: _,
}) => {
  const person = await hosted.signUp();
  const closed = await hosted.api("GET", "/api/hub/models");
  expect(closed).toMatchObject({ status: 401, body: { details: { reason: "NOT_SIGNED_IN" } } });
  const own = await hosted.api("GET", "/api/hub/models", { token: person.token });
  expect(find(own.body.models, "metered")).toMatchObject({
    providers: ["openai"],
    mode: "chat",
    pricing: { inputPerMillionTokens: 1_000_000_000, usd: { inputPerMillionTokens: "1.000000000" } },
    status: "active",
    available: true,
    source: null,
  });
  await hosted.reload(PUBLIC);
  onTestFinished(() => hosted.reload(""));
  const open = await hosted.api("GET", "/api/hub/models", { token: "nonsense" });
  expect(open.status).toBe(200);
  expect(find(open.body.models, "metered")).toMatchObject({ available: null, source: null });
  expect(open.text).not.toContain(new URL(upstream.origin).host);
  expect(open.text).not.toContain("sk-upstream");
  await promote(database, person);
  const administrator = await hosted.api("GET", "/api/hub/models", { token: person.token });
  expect(find(administrator.body.models, "metered")?.source).toMatch(/^file .+:\d+$/);
  expect(find(administrator.body.models, "stored/1")?.source).toBe("database");
});

test("all users see model performance, but only administrators see request counts", async ({
  hosted,
  database,
  stock: _,
}) => {
  const person = await hosted.signUp();
  const readFirst = async () => {
    const { body } = await hosted.api("GET", "/api/hub/models", { token: person.token });
    return (body.models as Shown[])[0];
  };
  const shown = await readFirst();
  // The most used model comes first.
  expect(shown).toMatchObject({ id: "metered", performance: { requests: null, successRate: 0.9975 } });
  expect(shown?.performance?.cells).toHaveLength(24);
  expect(shown?.performance?.cells.at(-1)).toEqual({ requests: 100, succeeded: 99, failed: 1 });
  await promote(database, person);
  const reported = await readFirst();
  expect(reported?.performance).toMatchObject({ requests: 400 });
  expect(reported?.performance?.cells.at(-1)).toEqual({ requests: 400, succeeded: 399, failed: 1 });
});

test("the hub lists database models, including models without a price, and marks models that a team can't use", async ({
  hosted,
  stock: _,
}) => {
  const person = await hosted.signUp();
  const { token, teamId } = person;
  const changed = await hosted.api("PUT", `/api/gw/teams/${teamId}`, { token, body: { models: ["metered"] } });
  expect(changed.status).toBe(200);
  const { body } = await hosted.api("GET", "/api/hub/models", { token });
  expect(find(body.models, "metered")?.available).toBe(true);
  expect(find(body.models, "unpriced")).toMatchObject({
    pricing: { inputPerMillionTokens: null, outputPerMillionTokens: null, usd: {} },
  });
  expect(find(body.models, "stored/7")).toMatchObject({
    available: false,
    description: "One of many",
    providers: ["many"],
    supportedParams: expect.arrayContaining(["temperature", "tools"]),
    createdAt: expect.any(String),
    performance: null,
  });
});

test("a response with 300 models takes less than 100 ms of CPU time", async ({ hosted, stock }) => {
  const { token } = await hosted.signUp();
  const count = 20;
  const before = process.cpuUsage();
  for (let asked = 0; asked < count; asked += 1) {
    const { body } = await hosted.api("GET", "/api/hub/models", { token });
    expect(body.models.length).toBeGreaterThan(stock);
  }
  // Measure CPU time, because wall-clock time depends on the machine's load. The CPU time also includes sending the
  // requests.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000 / count).toBeLessThan(100);
});

function find(models: readonly Shown[], id: string): Shown | undefined {
  return models.find((model) => model.id === id);
}

/** Makes the user a platform administrator. */
async function promote(database: TestDatabase, { email }: Person): Promise<void> {
  const change = `update users set role = 'admin' where email = '${email}'`;
  await querySql(database.connectionString, `${AS_ADMINISTRATOR} ${change}`);
}
