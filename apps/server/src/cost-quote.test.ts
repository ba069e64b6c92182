import { type CostQuote, CostQuote as CostQuoteSchema } from "@tollgate/contracts/utilities/cost-quote.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { type BilledGateway, INPUT_PRICE, OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const messages = [{ role: "user", content: "hello" }];
const isQuote = compileCheck(CostQuoteSchema);

async function ask(gateway: BilledGateway, key: string, body: unknown, query = ""): Promise<Response> {
  return fetch(`${gateway.url}/utils/cost_quote${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gw-api-key": key },
    body: JSON.stringify(body),
  });
}

async function quote(gateway: BilledGateway, { apiKey }: Tenant, body: unknown, query = ""): Promise<CostQuote> {
  const answer = await ask(gateway, apiKey, body, query);
  const quoted = (await answer.json()) as CostQuote;
  expect(answer.status, JSON.stringify(quoted)).toBe(200);
  expect(isQuote(quoted)).toBe(true);
  return quoted;
}

describe("a cost quote", () => {
  test("returns the worst-case and expected cost of a call", async ({ tollgate, upstreams }) => {
    const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
    const gateway = await tollgate.start();
    const body = { model: "metered", messages, max_tokens: 1_000 };
    const first = await quote(gateway, tenant, body);
    expect(first).toMatchObject({ model: "metered", model_id: "metered-1", max_output_tokens: 1_000, admitted: true });
    expect(first.price_version).toMatch(/^\S+$/);
    expect(first.reason).toBeUndefined();
    const input = BigInt(Math.ceil(JSON.stringify(body).length / 3));
    expect(BigInt(first.worst_case_nano_usd)).toBe(input * INPUT_PRICE + 1_000n * OUTPUT_PRICE);
    // The model has no previous calls, so 256 output tokens are expected.
    expect(BigInt(first.expected_nano_usd)).toBe(BigInt(first.input_tokens) * INPUT_PRICE + 256n * OUTPUT_PRICE);
    expect(upstreams.alpha.requests).toEqual([]);
    expect(await tollgate.calls(tenant)).toEqual([]);
  });

  test("bases the expected cost on the output length of previous calls", async ({ tollgate, upstreams }) => {
    const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer({ inputTokens: 5, outputTokens: 40 }));
    await gateway.chat(tenant.apiKey);
    await tollgate.settled(tenant, 1);
    const quoted = await quote(gateway, tenant, { model: "metered", messages, max_tokens: 1_000 });
    expect(BigInt(quoted.expected_nano_usd)).toBe(BigInt(quoted.input_tokens) * INPUT_PRICE + 40n * OUTPUT_PRICE);
  });

  test("uses the highest price among several deployments", async ({ tollgate }) => {
    const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
    const gateway = await tollgate.start({
      models: `
  - { model_name: mixed, litellm_params: { model: openai/m5, api_base: "{origin}/v1", input_cost_per_token: 0, output_cost_per_token: 0.000001 }, model_info: { id: cheap } }
  - { model_name: mixed, litellm_params: { model: openai/m6, api_base: "{origin}/v1", input_cost_per_token: 0, output_cost_per_token: 0.000009 }, model_info: { id: expensive } }`,
    });
    const quoted = await quote(gateway, tenant, { model: "mixed", messages, max_tokens: 10 });
    expect(quoted).toMatchObject({ model_id: "expensive", worst_case_nano_usd: 90_000 });
  });

  test("reports the error code of a call that would be refused, and reserves nothing", async ({
    tollgate,
    upstreams,
  }) => {
    const poor = await tollgate.addTenant({});
    const blocked = await tollgate.addTenant({ credit: 1_000n });
    await tollgate.takeCredit(blocked, 2_000n);
    const bounded = await tollgate.addTenant({ credit: 1_000_000_000n });
    await tollgate.addBudget(bounded, "key", 30_000n);
    const gateway = await tollgate.start();
    const small = { model: "flat", messages, max_tokens: 10 };
    const large = { ...small, max_tokens: 20 };
    expect(await quote(gateway, poor, small)).toMatchObject({ admitted: false, reason: "QUOTA_EXCEEDED" });
    expect(await quote(gateway, blocked, small)).toMatchObject({ admitted: false, reason: "TEAM_BLOCKED" });
    expect(await quote(gateway, bounded, large)).toMatchObject({ admitted: false, reason: "budget_exceeded" });
    // Quotes don't reduce the budget, so a small call stays affordable.
    for (let time = 0; time < 5; time += 1) expect((await quote(gateway, bounded, small)).admitted).toBe(true);
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 10 }));
    expect((await gateway.chat(bounded.apiKey, small)).status).toBe(200);
    expect((await gateway.chat(bounded.apiKey, large)).status).toBe(429);
  });

  test("applies the output limit that the gateway sets on calls without a limit, even for a gateway's first request", async ({
    tollgate,
  }) => {
    const gateway = await tollgate.start();
    const tenant = await tollgate.addTenant({ credit: 100n * OUTPUT_PRICE });
    const quoted = await quote(gateway, tenant, { model: "flat", messages });
    expect(quoted).toMatchObject({
      admitted: true,
      max_output_tokens: 100,
      hold_nano_usd: Number(100n * OUTPUT_PRICE),
    });
  });

  test("reports a call that can cost more than the maximum hold", async ({ tollgate }) => {
    const gateway = await tollgate.start({ billing: "maxHold: 1000" });
    const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
    const quoted = await quote(gateway, tenant, { model: "flat", messages, max_tokens: 10 });
    expect(quoted).toMatchObject({ admitted: false, reason: "invalid_request" });
  });

  test("is zero for a free model and is rejected for a model without a price", async ({ tollgate }) => {
    const tenant = await tollgate.addTenant({ credit: 1_000_000n });
    const gateway = await tollgate.start();
    expect(await quote(gateway, tenant, { model: "free", messages })).toMatchObject({
      worst_case_nano_usd: 0,
      hold_nano_usd: 0,
      admitted: true,
    });
    const refused = await ask(gateway, tenant.apiKey, { model: "unpriced", messages });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "price_missing" } });
    expect((await ask(gateway, tenant.apiKey, { model: "free" })).status).toBe(422);
    expect((await ask(gateway, tenant.apiKey, { model: "free", messages }, "?operation=guess")).status).toBe(422);
    expect((await ask(gateway, tenant.apiKey, { model: "nope", messages })).status).toBe(404);
  });
});

test("a call right after its quote holds the quoted amount and costs at most the quoted maximum", async ({
  tollgate,
  upstreams,
}) => {
  const tenant = await tollgate.addTenant({ credit: 50_000_000n });
  const gateway = await tollgate.start();
  const text = fc.array(fc.constantFrom("time", "flies", "like", "an", "arrow", "and", "fruit", "a"), {
    minLength: 1,
    maxLength: 200,
  });
  const request = fc.record(
    {
      model: fc.constantFrom("metered", "flat", "free"),
      messages: fc.array(
        text.map((words) => ({ role: "user", content: words.join(" ") })),
        { minLength: 1, maxLength: 4 },
      ),
      max_tokens: fc.integer({ min: 1, max: 400 }),
      n: fc.integer({ min: 1, max: 3 }),
      stream: fc.boolean(),
    },
    { requiredKeys: ["model", "messages"] },
  );
  let calls = 0;
  const check = async (body: Record<string, unknown>, used: number) => {
    const quoted = await quote(gateway, tenant, body);
    const most = Math.min(quoted.max_output_tokens, 400);
    const usage = { inputTokens: quoted.input_tokens, outputTokens: Math.ceil(used * most) };
    if (body.stream === true) upstreams.alpha.streams(chatFrames({ ...usage, content: "a few words" }));
    else upstreams.alpha.replies(200, chatAnswer(usage));
    const answer = await gateway.chat(tenant.apiKey, body);
    await answer.text();
    expect(answer.status === 200, JSON.stringify(quoted)).toBe(quoted.admitted);
    if (answer.status !== 200) return;
    calls += 1;
    const row = (await tollgate.settled(tenant, calls)).at(-1);
    expect(row?.cost).toBeLessThanOrEqual(BigInt(quoted.worst_case_nano_usd));
    expect(row?.hold).toBe(BigInt(quoted.hold_nano_usd));
  };
  await fc.assert(fc.asyncProperty(request, fc.double({ min: 0, max: 1, noNaN: true }), check), { numRuns: 25 });
  expect(calls).toBeGreaterThan(10);
});
