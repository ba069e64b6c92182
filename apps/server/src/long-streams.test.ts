import { chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const STEP = 100;
const START = { billing: `outputStep: ${STEP}` };
const worth = (tokens: number) => BigInt(tokens) * OUTPUT_PRICE;
/** Ten tokens, according to both the tokenizer and the estimate of four characters per token. */
const TEN_TOKENS = " one two one two one two one two one two";
/**
 * Returns the expected charge. The model isn't in the catalog and may have hidden output, so at least the hold for two
 * steps is charged.
 */
const chargedFor = (delivered: number) => worth(Math.max(delivered, 2 * STEP));

describe("a stream without an output limit", () => {
  test("has its hold raised step by step as needed", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start(START);
    const tenant = await tollgate.addTenant({ credit: worth(100_000) });
    const pieces = Array.from({ length: 42 }, () => TEN_TOKENS);
    upstreams.alpha.streams(chatFrames({ pieces, outputTokens: 420 }), { delayMs: 1 });
    const answer = await gateway.chat(tenant.apiKey, { model: "flat", stream: true });
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    expect(upstreams.alpha.requests[0]?.json()).not.toHaveProperty("max_completion_tokens");
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: worth(420), status: "success" });
    // The gateway requested the fifth step at 375 tokens and would have requested a sixth step at 475.
    expect(row?.hold).toBe(worth(500));
  });

  test("continues after a single frame that spans many steps", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start(START);
    const tenant = await tollgate.addTenant({ credit: worth(100_000) });
    const pieces = [TEN_TOKENS, TEN_TOKENS.repeat(100), TEN_TOKENS];
    upstreams.alpha.streams(chatFrames({ pieces, outputTokens: 1_020 }), { delayMs: 5 });
    const answer = await gateway.chat(tenant.apiKey, { model: "flat", stream: true });
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: worth(1_020), status: "success" });
    expect(row?.hold).toBeGreaterThanOrEqual(worth(1_020));
  });

  test("ends with an error if there is no credit for the next step, and is charged for the hold or the delivered output, whichever is larger", async ({
    tollgate,
    upstreams,
  }) => {
    const gateway = await tollgate.start(START);
    const tenant = await tollgate.addTenant({ credit: worth(250) });
    const pieces = Array.from({ length: 100 }, () => TEN_TOKENS);
    upstreams.alpha.streams(chatFrames({ pieces, includeUsage: false }), { delayMs: 5 });
    const answer = await gateway.chat(tenant.apiKey, { model: "flat", stream: true });
    expect(answer.status).toBe(200);
    const frames = (await answer.text()).split("\n\n").filter((frame) => frame !== "");
    const last = JSON.parse(frames.at(-1)?.slice("data: ".length) ?? "") as { error: Record<string, unknown> };
    expect(last.error).toMatchObject({ type: "insufficient_quota", code: "QUOTA_EXCEEDED" });
    const delivered = frames.filter((frame) => frame.includes("one two")).length * 10;
    expect(delivered).toBeGreaterThanOrEqual(150);
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ status: "failure", error_code: "QUOTA_EXCEEDED", cost: chargedFor(delivered) });
    expect(row?.hold).toBe(worth(200));
    // The client also gets output that arrived together with the last paid token or, on a busy machine, shortly after
    // it.
    expect(delivered).toBeLessThanOrEqual(300);
  });

  test("ends with an error if its hold would exceed the maximum", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start({ billing: `outputStep: ${STEP}, maxHold: ${worth(250)}` });
    const tenant = await tollgate.addTenant({ credit: worth(100_000) });
    const pieces = Array.from({ length: 100 }, () => TEN_TOKENS);
    upstreams.alpha.streams(chatFrames({ pieces, includeUsage: false }), { delayMs: 5 });
    const answer = await gateway.chat(tenant.apiKey, { model: "flat", stream: true });
    const frames = (await answer.text()).split("\n\n").filter((frame) => frame !== "");
    const last = JSON.parse(frames.at(-1)?.slice("data: ".length) ?? "") as { error: Record<string, unknown> };
    expect(last.error).toMatchObject({ code: "invalid_request", message: expect.stringContaining("billing.maxHold") });
    const delivered = frames.filter((frame) => frame.includes("one two")).length * 10;
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ status: "failure", error_code: "invalid_request", cost: chargedFor(delivered) });
    expect(row?.hold).toBe(worth(200));
  });

  test("continues with credit that is bought while it runs", async ({ tollgate, upstreams }) => {
    const gateway = await tollgate.start(START);
    const tenant = await tollgate.addTenant({ credit: worth(150) });
    const bought = Promise.withResolvers<void>();
    const pieces = Array.from({ length: 15 }, () => TEN_TOKENS);
    upstreams.alpha.streams(chatFrames({ pieces, outputTokens: 150 }), {
      beforeFrame: (index) => (index === 5 ? bought.promise : undefined),
    });
    const answer = gateway.chat(tenant.apiKey, { model: "flat", stream: true });
    await answer;
    await tollgate.addCredit(tenant, worth(1_000));
    bought.resolve();
    expect(await (await answer).text()).toMatch(/data: \[DONE\]\n\n$/);
    const [row] = await tollgate.settled(tenant, 1);
    expect(row).toMatchObject({ cost: worth(150), status: "success" });
  });
});
