import { redrivePricedEvents } from "@tollgate/db/ledger/redrive-priced-events.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import { reply, replyLate, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished } from "vitest";
import { INPUT_PRICE, OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";
import { openPostgresProxy } from "./postgres-proxy.fixture.ts";

const CREDIT = 10_000_000_000n;
const USAGE = { inputTokens: 50, outputTokens: 400 };
const PRICE = 50n * INPUT_PRICE + 400n * OUTPUT_PRICE;
/** A truncated response that still contains its usage. */
const MALFORMED = JSON.stringify(chatAnswer(USAGE)).slice(0, -1);
const JSON_TYPE = { "content-type": "application/json" };
const retries = { yaml: "router_settings: { num_retries: 2, disable_cooldowns: true, retry_after: 0 }" };

/**
 * Returns an organization's lost attempts and their total cost. Expects all lost attempts to be posted to the ledger.
 */
async function lossesOf(connectionString: string, { organizationId }: Tenant) {
  const rows = await querySql<{ reason: string; cost: string; usage_source: string; transaction_id: string }>(
    connectionString,
    `select reason, cost, usage_source, transaction_id from lost_attempts
      where organization_id = '${organizationId}' order by day, event_id, seq`,
  );
  const [call] = await querySql<{ loss: string }>(
    connectionString,
    `select coalesce(sum(loss), 0) as loss from usage_events where organization_id = '${organizationId}'`,
  );
  expect(rows.filter(({ transaction_id }) => transaction_id === null)).toEqual([]);
  const attempts = rows.map(({ reason, cost, usage_source }) => ({ reason, cost: BigInt(cost), usage_source }));
  return { attempts, loss: BigInt(call?.loss ?? 0) };
}

describe("a failed attempt", () => {
  test("is charged to the operator if the response is malformed", async ({ tollgate, upstreams, database }) => {
    const gateway = await tollgate.start(retries);
    const tenant = await tollgate.addTenant({ credit: CREDIT });

    upstreams.alpha.behaves(replyLate(0, 200, MALFORMED, JSON_TYPE), replyLate(0, 200, chatAnswer(USAGE)));
    expect((await gateway.chat(tenant.apiKey, { max_tokens: 1_000 })).status).toBe(200);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: PRICE, attempts: 2 });
    expect(await tollgate.balanceOf(tenant)).toBe(CREDIT - PRICE);
    const { attempts } = await lossesOf(database.connectionString, tenant);
    expect(attempts).toEqual([{ reason: "malformed", cost: PRICE, usage_source: "reported" }]);
  });

  test("is charged to the operator if the last attempt also fails, and the caller pays nothing", async ({
    tollgate,
    upstreams,
    database,
  }) => {
    const gateway = await tollgate.start(retries);
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.behaves(replyLate(0, 200, MALFORMED, JSON_TYPE));
    expect((await gateway.chat(tenant.apiKey, { max_tokens: 1_000 })).status).toBe(502);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: 0n, status: "failure", attempts: 3 });
    expect(await tollgate.balanceOf(tenant)).toBe(CREDIT);
    const { attempts } = await lossesOf(database.connectionString, tenant);
    expect(attempts.map(({ cost }) => cost)).toEqual([PRICE, PRICE, PRICE]);
  });

  test("is charged to the operator at an estimated cost if the operator's timeout ended the attempt", async ({
    tollgate,
    upstreams,
    database,
  }) => {
    const slow = `
  - model_name: slow
    litellm_params: { model: openai/slow, api_base: "{origin}/v1", timeout: 1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`;
    const gateway = await tollgate.start({ models: slow, yaml: "router_settings: { num_retries: 0 }" });
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.hangs();
    expect((await gateway.chat(tenant.apiKey, { model: "slow", max_tokens: 100 })).status).toBe(408);
    await tollgate.settled(tenant, 1);
    expect(await tollgate.balanceOf(tenant)).toBe(CREDIT);
    const { attempts } = await lossesOf(database.connectionString, tenant);
    expect(attempts).toMatchObject([{ reason: "timeout", usage_source: "estimated" }]);
  });

  test("is charged to the operator up to the output limit if a timeout interrupted a stream with hidden output", async ({
    tollgate,
    upstreams,
    database,
  }) => {
    const slow = `
  - model_name: thinker
    litellm_params: { model: openai/thinker, api_base: "{origin}/v1", stream_timeout: 2, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`;
    const gateway = await tollgate.start({ models: slow, yaml: "router_settings: { num_retries: 0 }" });
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.behaves(streamFrames(chatFrames(USAGE), { hangAfterFrames: 2 }));
    const answer = await gateway.chat(tenant.apiKey, { model: "thinker", max_tokens: 100, stream: true });
    expect(await answer.text()).toContain("stream_timeout");
    const [row] = await tollgate.settled(tenant, 1);
    const { attempts } = await lossesOf(database.connectionString, tenant);
    expect(attempts).toMatchObject([{ reason: "timeout", usage_source: "estimated" }]);
    const output = BigInt(row?.output_tokens ?? 0);
    expect(output).toBeGreaterThan(0n);
    expect(attempts[0]?.cost).toBe((100n - output) * 2_000n);
  });

  test("costs nothing if the upstream rejected the request", async ({ tollgate, upstreams, database }) => {
    const gateway = await tollgate.start(retries);
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.behaves(replyLate(0, 503, {}), replyLate(0, 200, chatAnswer(USAGE)));
    expect((await gateway.chat(tenant.apiKey, { max_tokens: 1_000 })).status).toBe(200);
    await tollgate.settled(tenant, 1);
    expect(await lossesOf(database.connectionString, tenant)).toEqual({ attempts: [], loss: 0n });
  });
});

describe("a response that names another model", () => {
  const router = `
  - model_name: cheap
    litellm_params: { model: openrouter/openai/gpt-4o-mini, api_base: "{origin}/v1", api_key: sk-x }
`;
  /** Catalog prices in nano-USD per token. */
  const OPUS = { input: 15_000n, output: 75_000n };
  const opusPrice = 50n * OPUS.input + 400n * OPUS.output;

  test.for([false, true])(
    "is charged at the named model's higher price up to the hold, and the operator pays the remainder (stream: %s)",
    async (stream, { tollgate, upstreams, database }) => {
      const gateway = await tollgate.start({ models: router });
      const tenant = await tollgate.addTenant({ credit: CREDIT });
      const answered = { ...USAGE, model: "anthropic/claude-3-opus" };
      if (stream) upstreams.alpha.streams(chatFrames(answered));
      else upstreams.alpha.replies(200, chatAnswer(answered));
      const answer = await gateway.chat(tenant.apiKey, { model: "cheap", max_tokens: 1_000, stream });
      expect(answer.status).toBe(200);
      await answer.text();
      const [row] = await tollgate.settled(tenant, 1);
      expect(row?.cost).toBe(row?.hold);
      expect(await tollgate.balanceOf(tenant)).toBe(CREDIT - (row?.cost ?? 0n));
      expect((await lossesOf(database.connectionString, tenant)).loss).toBe(opusPrice - (row?.cost ?? 0n));
    },
  );

  test("is charged at the named model's higher price even if the ledger was unreachable during the call", async ({
    tollgate,
    upstreams,
    database,
  }) => {
    const proxy = await openPostgresProxy(database.connectionString);
    onTestFinished(() => proxy.close());
    const gateway = await tollgate.start({ models: router, connectionString: proxy.connectionString });
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    // The gateway leases credit in advance after some calls.
    upstreams.alpha.replies(200, chatAnswer({ ...USAGE, model: "openai/gpt-4o-mini" }));
    const call = { model: "cheap", max_tokens: 1_000 };
    for (let calls = 0; calls < 10; calls += 1) expect((await gateway.chat(tenant.apiKey, call)).status).toBe(200);
    await tollgate.settled(tenant, 10);

    upstreams.alpha.behaves((exchange) => {
      proxy.cut();
      return reply(200, chatAnswer({ ...USAGE, model: "anthropic/claude-3-opus" }))(exchange);
    });
    expect((await gateway.chat(tenant.apiKey, call)).status).toBe(200);
    proxy.restore();
    const worker = database.connect("tollgate_worker");
    const rows = await waitFor("the substituted call", async () => {
      await redrivePricedEvents(worker);
      const settled = await tollgate.calls(tenant);
      return settled.length === 11 ? settled : null;
    });
    const last = rows.at(-1);
    expect(last?.cost).toBe(last?.hold);
    expect((await lossesOf(database.connectionString, tenant)).loss).toBe(opusPrice - (last?.cost ?? 0n));
  });

  test("is charged at the requested model's price if the named model is a snapshot of it", async ({
    tollgate,
    upstreams,
    database,
  }) => {
    const gateway = await tollgate.start({ models: router });
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.replies(200, chatAnswer({ ...USAGE, model: "openai/gpt-4o-mini-2024-07-18" }));
    await gateway.chat(tenant.apiKey, { model: "cheap", max_tokens: 1_000 });
    const [row] = await tollgate.settled(tenant, 1);
    expect(row?.cost).toBe(50n * 150n + 400n * 600n);
    expect((await lossesOf(database.connectionString, tenant)).loss).toBe(0n);
  });

  test("is charged at the requested model's price if the catalog does not contain the named model", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start({ models: router });
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.replies(200, chatAnswer({ ...USAGE, model: "unknown/model" }));
    await gateway.chat(tenant.apiKey, { model: "cheap", max_tokens: 1_000 });
    const [row] = await tollgate.settled(tenant, 1);
    expect(row?.cost).toBe(50n * 150n + 400n * 600n);
  });
});
