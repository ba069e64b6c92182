import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

/** Max output tokens that the gateway assumes for an unknown model. */
const LONGEST = 16_384;
const PLENTY = 1_000_000_000_000n;
const worth = (tokens: number) => BigInt(tokens) * OUTPUT_PRICE;

describe("a call without an output limit", () => {
  for (const admission of ["strict", "positive, overdraft: 1"]) {
    test(`gets a fortieth of the available credit as its limit, which is sent to the model (${admission})`, async ({
      tollgate,
      upstreams,
    }) => {
      const gateway = await tollgate.start({ billing: `admission: ${admission}` });
      upstreams.alpha.replies(200, chatAnswer({ outputTokens: 0 }));
      const tenant = await tollgate.addTenant({ credit: worth(40 * 5_000) });
      for (let calls = 0; calls < 3; calls += 1) {
        expect((await gateway.chat(tenant.apiKey, { model: "flat" })).status).toBe(200);
        expect(upstreams.alpha.requests[calls]?.json()).toMatchObject({ max_completion_tokens: 5_000 });
      }
      await tollgate.settled(tenant, 3);
    });
  }

  for (const stream of [false, true]) {
    test(`is limited to the remaining credit if that is less than one step (stream: ${stream})`, async ({
      tollgate,
      upstreams,
    }) => {
      const gateway = await tollgate.start();
      if (stream) upstreams.alpha.streams(chatFrames({ outputTokens: 100 }));
      else upstreams.alpha.replies(200, chatAnswer({ outputTokens: 100 }));
      const tenant = await tollgate.addTenant({ credit: worth(100) });
      const answer = await gateway.chat(tenant.apiKey, { model: "flat", stream });
      expect(answer.status).toBe(200);
      await answer.text();
      expect(upstreams.alpha.requests[0]?.json()).toMatchObject({ max_completion_tokens: 100 });
      const [row] = await tollgate.settled(tenant, 1);
      expect(row).toMatchObject({ hold: worth(100), cost: worth(100), status: "success" });
      expect(await tollgate.balanceOf(tenant)).toBe(0n);
    });
  }

  test("is limited to credit plus overdraft and can make the balance negative by the overdraft amount", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start({ billing: `overdraft: ${worth(50)}` });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 150 }));
    const tenant = await tollgate.addTenant({ credit: worth(100) });
    expect((await gateway.chat(tenant.apiKey, { model: "flat" })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).toMatchObject({ max_completion_tokens: 150 });
    await tollgate.settled(tenant, 1);
    expect(await tollgate.balanceOf(tenant)).toBe(worth(-50));
  });

  test("is limited to the remaining budget", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 30 }));
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    await tollgate.addBudget(tenant, "key", worth(30));
    expect((await gateway.chat(tenant.apiKey, { model: "flat" })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).toMatchObject({ max_completion_tokens: 30 });
    await tollgate.settled(tenant, 1);
  });

  test("is limited by the maximum hold", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ billing: `maxHold: ${worth(500)}` });
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    expect((await gateway.chat(tenant.apiKey, { model: "flat" })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).toMatchObject({ max_completion_tokens: 500 });
    await tollgate.settled(tenant, 1);
  });

  test("is refused if the credit does not cover its input", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    const tenant = await tollgate.addTenant({ credit: 1n });
    for (const stream of [false, true]) {
      const refused = await gateway.chat(tenant.apiKey, { model: "metered", stream });
      expect(refused.status).toBe(429);
      const { error } = (await refused.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe("QUOTA_EXCEEDED");
      expect(error.message).toContain("That covers 0 output tokens, because the input alone can cost more.");
    }
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("gets no limit if there is enough credit", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    for (let calls = 0; calls < 2; calls += 1) {
      expect((await gateway.chat(tenant.apiKey, { model: "flat" })).status).toBe(200);
      expect(upstreams.alpha.requests[calls]?.json()).not.toHaveProperty("max_completion_tokens");
    }
    const rows = await tollgate.settled(tenant, 2);
    expect(rows.map(({ hold }) => hold)).toEqual([worth(LONGEST), worth(LONGEST)]);
  });

  test("holds the cost of its maximum possible output if capOutput is off", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ billing: "capOutput: false" });
    upstreams.alpha.replies(200, chatAnswer());
    const poor = await tollgate.addTenant({ credit: worth(LONGEST - 1) });
    expect((await gateway.chat(poor.apiKey, { model: "flat" })).status).toBe(429);
    const able = await tollgate.addTenant({ credit: worth(LONGEST) });
    expect((await gateway.chat(able.apiKey, { model: "flat" })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).not.toHaveProperty("max_completion_tokens");
    const [row] = await tollgate.settled(able, 1);
    expect(row?.hold).toBe(worth(LONGEST));
  });
});

describe("a hold", () => {
  test("never exceeds the maximum, and an excessive output limit is rejected without affecting other calls", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    for (const max_tokens of [1e308, Number.MAX_SAFE_INTEGER, 10_000_000]) {
      const refused = await gateway.chat(tenant.apiKey, { model: "flat", max_tokens, n: 128 });
      expect(refused.status, String(max_tokens)).toBe(400);
      expect(await refused.json()).toMatchObject({
        error: {
          code: "invalid_request",
          param: "max_tokens",
          message: expect.stringContaining("the maximum hold per request is 100 USD (billing.maxHold)"),
          fix: expect.stringContaining("Set max_tokens to 390625 or less, or ask the gateway operator"),
        },
      });
      expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 5 })).status).toBe(200);
    }
  });

  test("covers the request's output limit for each of its choices", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    for (const fields of [{ max_tokens: 50 }, { max_tokens: 50, n: 3 }, { max_completion_tokens: 70, n: 2 }]) {
      expect((await gateway.chat(tenant.apiKey, { model: "flat", ...fields })).status).toBe(200);
    }
    const rows = await tollgate.settled(tenant, 3);
    expect(rows.map(({ hold }) => hold)).toEqual([worth(50), worth(150), worth(140)]);
  });

  test("is a share of the worst case if holdFactor is set", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ billing: "holdFactor: 0.25" });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 60 }));
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 100 })).status).toBe(200);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ hold: worth(25), cost: worth(60) });
  });

  test("is not reduced by a limit that the gateway drops from the request", async ({ tollgate, upstreams }) => {
    const cost = "input_cost_per_token: 0, output_cost_per_token: 0.000002";
    const gateway = await tollgate.start({
      models: `  - { model_name: deaf, litellm_params: { model: openai/m8, api_base: "{origin}/v1", api_key: sk-x, ${cost}, additional_drop_params: [max_tokens] } }`,
    });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 900 }));
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    expect((await gateway.chat(tenant.apiKey, { model: "deaf", max_tokens: 1 })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).not.toHaveProperty("max_tokens");
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ hold: worth(LONGEST), cost: worth(900) });
  });

  test("covers the maximum possible output if no limit can be sent", async ({ tollgate, upstreams }) => {
    const cost = "input_cost_per_token: 0, output_cost_per_token: 0.000002";
    const dropped = "additional_drop_params: [max_tokens, max_completion_tokens]";
    const gateway = await tollgate.start({
      models: `  - { model_name: deaf, litellm_params: { model: openai/m8, api_base: "{origin}/v1", api_key: sk-x, ${cost}, ${dropped} } }`,
    });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 900 }));
    const poor = await tollgate.addTenant({ credit: worth(LONGEST - 1) });
    expect((await gateway.chat(poor.apiKey, { model: "deaf" })).status).toBe(429);
    const able = await tollgate.addTenant({ credit: worth(LONGEST) });
    expect((await gateway.chat(able.apiKey, { model: "deaf" })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).not.toHaveProperty("max_completion_tokens");
    await tollgate.settled(able, 1);
  });
});
