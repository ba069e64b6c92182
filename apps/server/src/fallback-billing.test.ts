import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const TOKENS = 100;
const HOLD = BigInt(TOKENS) * OUTPUT_PRICE;
const PRICE_FACTOR = 10n;
/** A group ten times as expensive as `flat`, served by the same upstream. */
const expensive = `
  - model_name: expensive
    litellm_params: { model: openai/expensive, api_base: "{origin}/v1", api_key: sk-x, input_cost_per_token: 0, output_cost_per_token: 0.00002 }
`;
const fallbacks = {
  models: expensive,
  yaml: "router_settings: { num_retries: 0, fallbacks: [{ flat: [expensive] }] }",
};
const call = { model: "flat", max_tokens: TOKENS };

describe("a call that falls back to a more expensive model", () => {
  test("is held and charged once, at the fallback model's price", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start(fallbacks);
    const tenant = await tollgate.addTenant({ credit: 1_000n * HOLD });
    upstreams.alpha.behaves(reply(503), reply(200, chatAnswer({ outputTokens: TOKENS })));
    const answer = await gateway.chat(tenant.apiKey, call);
    expect([answer.status, answer.headers.get("x-gw-model-group")]).toEqual([200, "expensive"]);
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe(String(PRICE_FACTOR * HOLD));
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({
      cost: PRICE_FACTOR * HOLD,
      hold: PRICE_FACTOR * HOLD,
      model_group: "expensive",
      attempts: 2,
      fallback_from: "flat",
    });
    expect(await tollgate.balanceOf(tenant)).toBe((1_000n - PRICE_FACTOR) * HOLD);
  });

  test("is not sent if the credit does not cover the fallback model's price, and nothing is charged", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start({ ...fallbacks });
    const tenant = await tollgate.addTenant({ credit: 2n * HOLD });
    upstreams.alpha.behaves(reply(503), reply(200, chatAnswer({ outputTokens: TOKENS })));
    expect((await gateway.chat(tenant.apiKey, call)).status).toBe(503);
    expect(upstreams.alpha.requests).toHaveLength(1);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: 0n, status: "failure" });
    expect(await tollgate.balanceOf(tenant)).toBe(2n * HOLD);
  });

  test("is not sent if it needs more than the maximum hold", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ ...fallbacks, billing: `maxHold: ${2n * HOLD}` });
    const tenant = await tollgate.addTenant({ credit: 1_000n * HOLD });
    upstreams.alpha.behaves(reply(503), reply(200, chatAnswer({ outputTokens: TOKENS })));
    expect((await gateway.chat(tenant.apiKey, call)).status).toBe(503);
    expect(upstreams.alpha.requests).toHaveLength(1);
    await tollgate.settled(tenant, 1);
  });

  test("is sent within the overdraft and can make the balance negative", async ({ tollgate, upstreams }) => {
    const overdraft = (PRICE_FACTOR - 2n) * HOLD;
    const gateway = await tollgate.start({ ...fallbacks, billing: `overdraft: ${overdraft}` });
    const tenant = await tollgate.addTenant({ credit: 2n * HOLD });
    upstreams.alpha.behaves(reply(503), reply(200, chatAnswer({ outputTokens: TOKENS })));
    expect((await gateway.chat(tenant.apiKey, call)).status).toBe(200);
    await tollgate.settled(tenant, 1);
    expect(await tollgate.balanceOf(tenant)).toBe(-overdraft);
  });

  test("is charged for its reported usage when streamed", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start(fallbacks);
    const tenant = await tollgate.addTenant({ credit: 1_000n * HOLD });
    upstreams.alpha.replies(500);
    upstreams.alpha.behaves(reply(500), ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(chatFrames({ outputTokens: 7 }).join(""));
    });
    const answer = await gateway.chat(tenant.apiKey, { ...call, stream: true });
    expect(await answer.text()).toContain("[DONE]");
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: PRICE_FACTOR * 7n * OUTPUT_PRICE, model_group: "expensive" });
  });
});

test("failed attempts are free: only the successful attempt is charged", async ({ tollgate, upstreams }) => {
  const gateway = await tollgate.start({ yaml: "router_settings: { num_retries: 3 }" });
  const tenant = await tollgate.addTenant({ credit: 1_000n * HOLD });
  upstreams.alpha.behaves(reply(503), reply(500), reply(200, chatAnswer({ outputTokens: 5 })));
  const answer = await gateway.chat(tenant.apiKey, call);
  expect([answer.status, answer.headers.get("x-gw-attempted-retries")]).toEqual([200, "2"]);
  const [row] = await tollgate.settled(tenant, 1);
  expect(row).toMatchObject({ cost: 5n * OUTPUT_PRICE, attempts: 3, fallback_from: null });
});
