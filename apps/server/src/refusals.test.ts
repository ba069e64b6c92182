import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const PLENTY = 1_000_000_000_000n;
const MONTH = /^\d{4}-\d\d-01T00:00:00\.000Z$/;

interface Refused {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly limit?: Record<string, unknown>;
    readonly fix?: string;
    readonly request_id?: string;
    readonly doc_url?: string;
  };
}

const errorOf = async (answer: Response) => ((await answer.json()) as Refused).error;

describe("credit check", () => {
  test("refuses a call that costs more than the balance, and reports the required amount without a retry hint", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start();
    const tenant = await tollgate.addTenant({ credit: 20_000n, organization: { name: "Poor Inc." } });
    const answer = await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 11 });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(answer.headers.get("retry-after")).toBeNull();
    expect(answer.headers.get("x-gw-error-name")).toBe("BudgetExceededError");
    const { fix, request_id, doc_url, ...error } = await errorOf(answer);
    expect(error).toEqual({
      message: "Not enough credits: available 0.000020000 USD. That covers 10 output tokens.",
      type: "insufficient_quota",
      param: null,
      code: "QUOTA_EXCEEDED",
      limit: {
        kind: "credit",
        owner_type: "organization",
        owner_name: "Poor Inc.",
        current: "0.000000000",
        maximum: "0.000020000",
        required: "0.000022000",
        resets_at: null,
      },
    });
    expect(fix).toBe("Buy credits, or set max_tokens to 10 or less. This request can cost up to 0.000022 USD.");
    // A gateway without the platform serves no documentation, so the link has no host.
    expect(doc_url).toBe("/docs/errors/codes/QUOTA_EXCEEDED");
    expect(request_id).toBe(answer.headers.get("x-gw-call-id"));
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("reports how much of the balance running calls hold", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    const tenant = await tollgate.addTenant({ credit: 30_000n });
    const held = Promise.withResolvers<void>();
    upstreams.alpha.behaves(async ({ response }) => {
      await held.promise;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(chatAnswer()));
    });
    const running = gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 10 });
    await upstreams.alpha.request(0);
    const { message, limit } = await errorOf(await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 10 }));
    expect(message).toBe("Not enough credits: available 0.000010000 USD. That covers 5 output tokens.");
    expect(limit).toMatchObject({ current: "0.000020000", maximum: "0.000030000" });
    held.resolve();
    expect((await running).status).toBe(200);
    await tollgate.settled(tenant, 1);
  });

  test("reports the owner, spending, and reset time of an exhausted budget", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 5_000 }));
    const tenant = await tollgate.addTenant({ credit: PLENTY, key: { name: "ci-bot" } });
    await tollgate.addBudget(tenant, "key", 10_000_000n, "monthly");
    expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 5_000 })).status).toBe(200);
    await tollgate.settled(tenant, 1);
    const answer = await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 1 });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(answer.headers.get("retry-after")).toBeNull();
    const error = await errorOf(answer);
    expect(error).toMatchObject({ type: "insufficient_quota", param: null, code: "budget_exceeded" });
    expect(error.message).toMatch(
      /^Key 'ci-bot' reached its \$0\.01 budget \(\$0\.01 spent, resets 1 \w{3} 00:00 UTC\)\.$/,
    );
    expect(error.limit).toEqual({
      kind: "budget",
      owner_type: "key",
      owner_name: "ci-bot",
      current: "0.010000000",
      maximum: "0.010000000",
      resets_at: expect.stringMatching(MONTH),
    });
    expect(error.fix).toBe("Raise the key's budget, or wait until it resets.");
    expect(upstreams.alpha.requests).toHaveLength(1);
  });

  test("refuses a call to a model without a price", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    const tenant = await tollgate.addTenant({ credit: PLENTY });
    const answer = await gateway.chat(tenant.apiKey, { model: "unpriced" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(answer.headers.get("retry-after")).toBeNull();
    expect(await errorOf(answer)).toMatchObject({ type: "server_error", code: "price_missing" });
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("admits a call to a free model without credit", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start();
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({});
    const answer = await gateway.chat(tenant.apiKey, { model: "free" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("0");
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: 0n, hold: 0n, input_tokens: 12n });
  });
});

describe("a rate-limited call", () => {
  test("is refused with the time to wait, and its hold is released", async ({ tollgate, upstreams, redis }) => {
    const gateway = await tollgate.start({ redisUrl: redis.url });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 0 }));
    const tenant = await tollgate.addTenant({ credit: 10n * OUTPUT_PRICE, key: { limits: { rpm: 1 } } });
    const all = { model: "flat", max_tokens: 10 };
    expect((await gateway.chat(tenant.apiKey, all)).status).toBe(200);
    for (let tries = 0; tries < 3; tries += 1) {
      // Each call holds the entire balance before it is refused, so a hold that isn't released would show up as missing
      // credit.
      const answer = await gateway.chat(tenant.apiKey, all);
      expect(answer.status).toBe(429);
      const seconds = Number(answer.headers.get("retry-after"));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(Math.ceil(Number(answer.headers.get("retry-after-ms")) / 1_000)).toBe(seconds);
      expect(answer.headers.get("x-should-retry")).toBeNull();
      expect(answer.headers.get("x-gw-rate-limit-type")).toBe("requests");
      expect(answer.headers.get("x-gw-rate-limit-scope")).toBe("api_key");
      const error = await errorOf(answer);
      expect(error).toMatchObject({ type: "rate_limit_error", code: "rate_limit_exceeded" });
      expect(error.limit).toMatchObject({ kind: "requests", owner_type: "key", owner_name: "ci", maximum: 1 });
      expect(answer.headers.get("x-gw-rate-limit-reset")).toBe(error.limit?.resets_at);
    }
    expect(upstreams.alpha.requests).toHaveLength(1);
    await tollgate.settled(tenant, 1);
  });
});

describe("a refused call", () => {
  test("reports an invalid key before any other problem", async ({ tollgate }) => {
    const gateway = await tollgate.start();
    const answer = await gateway.chat("sk-0000000000000000000000000000000000000000000000", { model: "nowhere" });
    expect(answer.status).toBe(401);
  });

  test("reports an invalid body, then an unknown model, then a denied model, then insufficient credit, then rate limits", async ({
    tollgate,
    upstreams,
    redis,
  }) => {
    const gateway = await tollgate.start({ redisUrl: redis.url });
    upstreams.alpha.replies(200, chatAnswer());
    const tenant = await tollgate.addTenant({ key: { limits: { rpm: 1 }, models: ["flat", "free", "unpriced"] } });
    const codeOf = async (fields: object) => (await errorOf(await gateway.chat(tenant.apiKey, fields))).code;
    // This is the only request that the rate limit admits.
    expect((await gateway.chat(tenant.apiKey, { model: "free" })).status).toBe(200);
    expect(await codeOf({ model: "nowhere", max_tokens: -1 })).toBe("validation_error");
    expect(await codeOf({ model: "nowhere" })).toBe("model_not_found");
    expect(await codeOf({ model: "metered" })).toBe("key_model_access_denied");
    expect(await codeOf({ model: "unpriced" })).toBe("price_missing");
    expect(await codeOf({ model: "flat", max_tokens: 5 })).toBe("QUOTA_EXCEEDED");
    expect(await codeOf({ model: "free" })).toBe("rate_limit_exceeded");
    await tollgate.settled(tenant, 1);
  });
});
