import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

/** Tokens that are held at a time, and at least, for a call that names no limit. */
const STEP = 4_096;
/** What a model is taken to answer at most when nothing is known of it. */
const LONGEST = 16_384;
const PLENTY = 1_000_000_000_000n;
const worth = (tokens: number) => BigInt(tokens) * OUTPUT_PRICE;

describe("a call that names no limit", () => {
  for (const admission of ["positive", "strict"]) {
    test(`may use a fortieth of what is free, and the model is told so (${admission})`, async ({
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

  test("gets at least one step, also when that is more than is left", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: STEP }));
    const tenant = await tollgate.addTenant({ credit: worth(100) });
    expect((await gateway.chat(tenant.apiKey, { model: "flat" })).status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).toMatchObject({ max_completion_tokens: STEP });
    await tollgate.settled(tenant, 1);
    expect(await tollgate.balanceOf(tenant)).toBe(worth(100 - STEP));
  });

  test("is not cut short where there is enough", async ({ tollgate, upstreams }) => {
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

  test("is held for all it might use where limits are not to be sent", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ billing: "capOutput: false, admission: strict" });
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

describe("what is held", () => {
  test("fits the ledger whatever a request asks for, so that one absurd request costs nobody else an answer", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start({ billing: "admission: strict" });
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    for (const max_tokens of [1e308, Number.MAX_SAFE_INTEGER, 10_000_000]) {
      const refused = await gateway.chat(tenant.apiKey, { model: "flat", max_tokens, n: 128 });
      expect(refused.status, String(max_tokens)).toBe(429);
      expect(await refused.json()).toMatchObject({ error: { code: "QUOTA_EXCEEDED" } });
      expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 5 })).status).toBe(200);
    }
  });

  test("is the request's limit, for each of its choices", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    for (const fields of [{ max_tokens: 50 }, { max_tokens: 50, n: 3 }, { max_completion_tokens: 70, n: 2 }]) {
      expect((await gateway.chat(tenant.apiKey, { model: "flat", ...fields })).status).toBe(200);
    }
    const rows = await tollgate.settled(tenant, 3);
    expect(rows.map(({ hold }) => hold)).toEqual([worth(50), worth(150), worth(140)]);
  });

  test("is a share of the worst case where the operator says so", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ billing: "holdFactor: 0.25" });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 60 }));
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 100 })).status).toBe(200);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ hold: worth(25), cost: worth(60) });
  });

  test("is not made smaller by a limit that never reaches the model", async ({ tollgate, upstreams }) => {
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

  test("is all it might use where no limit can be sent", async ({ tollgate, upstreams }) => {
    const cost = "input_cost_per_token: 0, output_cost_per_token: 0.000002";
    const dropped = "additional_drop_params: [max_tokens, max_completion_tokens]";
    const gateway = await tollgate.start({
      billing: "admission: strict",
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
