import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const codeOf = async (answer: Response) =>
  answer.status === 200 ? 200 : ((await answer.json()) as { error: { code: string } }).error.code;

/** Admission rules that admit a ten-token call if the balance covers one token. */
const RULES = [
  `admission: strict, overdraft: ${9n * OUTPUT_PRICE}`,
  `admission: positive, overdraft: ${9n * OUTPUT_PRICE}`,
];

test.for(RULES)(
  "usage that makes the balance negative blocks the team at every gateway, and a purchase unblocks it (%s)",
  async (billing, { tollgate, upstreams }) => {
    const gateways = [await tollgate.start({ billing }), await tollgate.start({ billing })];
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: 10 }));
    const tenant = await tollgate.addTenant({ credit: 11n * OUTPUT_PRICE });
    const call = { model: "flat", max_tokens: 10 };
    const codes = (fields: object = call) =>
      Promise.all(gateways.map(async (gateway) => codeOf(await gateway.chat(tenant.apiKey, fields))));
    expect(await codeOf(await (gateways[0] as (typeof gateways)[0]).chat(tenant.apiKey, call))).toBe(200);
    expect(await codeOf(await (gateways[1] as (typeof gateways)[0]).chat(tenant.apiKey, call))).toBe(200);
    await waitFor("the debt", async () => (await tollgate.balanceOf(tenant)) === -9n * OUTPUT_PRICE);
    const areBlocked = async () => (await codes()).every((code) => code === "TEAM_BLOCKED");
    await waitFor("a refusal by both gateways", areBlocked, { limitMs: 2_000 });
    // The tenant is also out of credit, but TEAM_BLOCKED takes precedence, even for free models.
    expect(await codes({ model: "free" })).toEqual(["TEAM_BLOCKED", "TEAM_BLOCKED"]);
    // The team is checked before the body is parsed.
    expect(await codes({ model: 7 })).toEqual(["TEAM_BLOCKED", "TEAM_BLOCKED"]);

    await tollgate.addCredit(tenant, 5n * OUTPUT_PRICE);
    expect(await codes()).toEqual(["TEAM_BLOCKED", "TEAM_BLOCKED"]);
    // At a balance of zero, the team is unblocked but has no credit to spend.
    await tollgate.addCredit(tenant, 4n * OUTPUT_PRICE);
    const areOut = async () => (await codes()).every((code) => code === "QUOTA_EXCEEDED");
    await waitFor("both gateways to report missing credit", areOut, { limitMs: 1_000 });

    await tollgate.addCredit(tenant, 100n * OUTPUT_PRICE);
    const served = waitFor("an answer of both gateways", async () => (await codes()).every((code) => code === 200), {
      limitMs: 1_000,
    });
    await expect(served).resolves.toBe(true);
    for (const gateway of gateways) await gateway.stop();
  },
);

test("a negative adjustment without an overdraft blocks the team, and a purchase unblocks it", async ({
  tollgate,
  upstreams,
}) => {
  const gateway = await tollgate.start();
  upstreams.alpha.replies(200, chatAnswer({ outputTokens: 10 }));
  const tenant = await tollgate.addTenant({ credit: 30n * OUTPUT_PRICE });
  const call = async () => codeOf(await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 10 }));
  expect(await call()).toBe(200);
  await tollgate.settled(tenant, 1);
  await tollgate.takeCredit(tenant, 25n * OUTPUT_PRICE);
  expect(await tollgate.balanceOf(tenant)).toBe(-5n * OUTPUT_PRICE);
  await waitFor("the block", async () => (await call()) === "TEAM_BLOCKED", { limitMs: 2_000 });
  await tollgate.addCredit(tenant, 15n * OUTPUT_PRICE);
  await waitFor("an answer", async () => (await call()) === 200, { limitMs: 2_000 });
  await tollgate.settled(tenant, 2);
  expect(await tollgate.balanceOf(tenant)).toBe(0n);
});

test("a balance of one nano-USD does not admit a call that can cost 67 USD", async ({ tollgate, upstreams }) => {
  // The call can produce 128 choices of 131,072 tokens each, at 4 USD per million tokens.
  const models =
    '  - { model_name: expensive, litellm_params: { model: openai/m9, api_base: "{origin}/v1", api_key: sk-x, input_cost_per_token: 0, output_cost_per_token: 0.000004 } }';
  upstreams.alpha.replies(200, chatAnswer({ outputTokens: 128 * 131_072 }));
  for (const billing of [
    "admission: strict",
    "admission: positive, overdraft: 1000000",
    "admission: nonnegative, overdraft: 1000000",
  ]) {
    const gateway = await tollgate.start({ billing, models });
    const tenant = await tollgate.addTenant({ credit: 1n });
    const refused = await gateway.chat(tenant.apiKey, { model: "expensive", n: 128, max_tokens: 131_072 });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: {
        code: "QUOTA_EXCEEDED",
        message: expect.stringMatching(/That covers [01] output tokens? for each of 128 choices\.$/),
      },
    });
    expect(await tollgate.balanceOf(tenant)).toBe(1n);
  }
  expect(upstreams.alpha.requests).toEqual([]);
});

test("a gateway can't spend leased credit that an adjustment has deducted", async ({ tollgate, upstreams }) => {
  const gateway = await tollgate.start();
  upstreams.alpha.replies(200, chatAnswer({ outputTokens: 10 }));
  const tenant = await tollgate.addTenant({ credit: 10_000n * OUTPUT_PRICE });
  const call = async () => codeOf(await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 10 }));
  for (let calls = 0; calls < 5; calls += 1) expect(await call()).toBe(200);
  await tollgate.settled(tenant, 5);
  await tollgate.takeCredit(tenant, 9_950n * OUTPUT_PRICE);
  expect(await tollgate.balanceOf(tenant)).toBe(0n);
  await waitFor("a refusal", async () => (await call()) === "QUOTA_EXCEEDED", { limitMs: 2_000 });
  await gateway.stop();
  const spentMeanwhile = -(await tollgate.balanceOf(tenant));
  expect(spentMeanwhile).toBeLessThanOrEqual(20n * OUTPUT_PRICE);
});
