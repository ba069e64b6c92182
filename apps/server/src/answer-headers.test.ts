import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { expect } from "vitest";
import { INPUT_PRICE, OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

test("the cost header of a response matches the ledger", async ({ tollgate, upstreams }) => {
  const gateway = await tollgate.start();
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 11, outputTokens: 7 }));
  const answer = await gateway.chat(tenant.apiKey, { max_tokens: 20 });
  expect(answer.status).toBe(200);
  const cost = 11n * INPUT_PRICE + 7n * OUTPUT_PRICE;
  expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe(String(cost));
  expect(answer.headers.get("x-gw-response-cost")).toBe("0.000025");
  const [row] = await tollgate.settled(tenant, 1);
  expect(row).toMatchObject({ cost, status: "success", usage_source: "reported", http_status: 200 });
  expect(await tollgate.balanceOf(tenant)).toBe(1_000_000_000n - cost);
});

test("response headers report the key's remaining rate limits", async ({ tollgate, upstreams, redis }) => {
  const gateway = await tollgate.start({ redisUrl: redis.url });
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n, key: { limits: { rpm: 9, tpm: 10_000 } } });
  upstreams.alpha.replies(200, chatAnswer());
  await (await gateway.chat(tenant.apiKey, { max_tokens: 20 })).text();
  const { headers } = await gateway.chat(tenant.apiKey, { max_tokens: 20 });
  expect(headers.get("x-ratelimit-limit-requests")).toBe("9");
  expect(headers.get("x-ratelimit-remaining-requests")).toBe("7");
  expect(headers.get("x-ratelimit-reset-requests")).toMatch(/^(?:\d+s|1m0s)$/);
  expect(headers.get("x-ratelimit-limit-tokens")).toBe("10000");
  expect(Number(headers.get("x-ratelimit-remaining-tokens"))).toBeLessThan(10_000);
  expect(headers.get("x-ratelimit-api_key-limit-requests")).toBe("9");
  expect(headers.get("x-ratelimit-api_key-remaining-requests")).toBe("7");
  await tollgate.settled(tenant, 2);
});

test("each call is charged at the price in effect at its admission, even if prices change before it finishes", async ({
  tollgate,
  upstreams,
}) => {
  const model = (output: string) =>
    `  - { model_name: repriced, litellm_params: { model: openai/m9, api_base: "{origin}/v1", api_key: sk-x, input_cost_per_token: 0, output_cost_per_token: ${output} } }`;
  const gateway = await tollgate.start({ models: model("0.000001") });
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  const held = Promise.withResolvers<void>();
  upstreams.alpha.behaves(async ({ response }) => {
    await held.promise;
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(chatAnswer({ outputTokens: 10 })));
  });
  const under = gateway.chat(tenant.apiKey, { model: "repriced", max_tokens: 20 });
  await upstreams.alpha.request(0);
  await gateway.reload({ models: model("0.000003") });
  const after = gateway.chat(tenant.apiKey, { model: "repriced", max_tokens: 20 });
  await upstreams.alpha.request(1);
  held.resolve();
  const costs = (await Promise.all([under, after])).map(({ headers }) => headers.get("x-gw-response-cost-nano-usd"));
  expect(costs).toEqual(["10000", "30000"]);
  const rows = await tollgate.settled(tenant, 2);
  expect(rows.map(({ cost }) => cost)).toEqual([10_000n, 30_000n]);
  expect(new Set(rows.map((row) => row.price_version_id)).size).toBe(2);
});
