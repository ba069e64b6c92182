import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const codeOf = async (answer: Response) =>
  answer.status === 200 ? 200 : ((await answer.json()) as { error: { code: string } }).error.code;

test("a balance below zero blocks the team at every gateway, and a purchase frees it", async ({
  tollgate,
  upstreams,
}) => {
  const gateways = [await tollgate.start(), await tollgate.start()];
  upstreams.alpha.replies(200, chatAnswer({ outputTokens: 10 }));
  const tenant = await tollgate.addTenant({ credit: 11n * OUTPUT_PRICE });
  const call = { model: "flat", max_tokens: 10 };
  const codes = (fields: object = call) =>
    Promise.all(gateways.map(async (gateway) => codeOf(await gateway.chat(tenant.apiKey, fields))));
  expect(await codeOf(await (gateways[0] as (typeof gateways)[0]).chat(tenant.apiKey, call))).toBe(200);
  expect(await codeOf(await (gateways[1] as (typeof gateways)[0]).chat(tenant.apiKey, call))).toBe(200);
  await waitFor("the debt", async () => (await tollgate.balanceOf(tenant)) === -9n * OUTPUT_PRICE);
  const blockedAtMs = performance.now();
  const areBlocked = async () => (await codes()).every((code) => code === "TEAM_BLOCKED");
  await waitFor("a refusal by both gateways", areBlocked, { limitMs: 2_000 });
  expect(performance.now() - blockedAtMs).toBeLessThan(2_000);
  // Out of credit as well, but that is not what it is told; and not even what costs nothing is served.
  expect(await codes({ model: "free" })).toEqual(["TEAM_BLOCKED", "TEAM_BLOCKED"]);
  // Before the body is read.
  expect(await codes({ model: 7 })).toEqual(["TEAM_BLOCKED", "TEAM_BLOCKED"]);

  await tollgate.buyCredit(tenant, 5n * OUTPUT_PRICE);
  expect(await codes()).toEqual(["TEAM_BLOCKED", "TEAM_BLOCKED"]);
  // Up to zero: not blocked any more, and still nothing to spend.
  await tollgate.buyCredit(tenant, 4n * OUTPUT_PRICE);
  const areOut = async () => (await codes()).every((code) => code === "QUOTA_EXCEEDED");
  await waitFor("both gateways to say that credit is missing", areOut, { limitMs: 1_000 });

  await tollgate.buyCredit(tenant, 100n * OUTPUT_PRICE);
  const served = waitFor("an answer of both gateways", async () => (await codes()).every((code) => code === 200), {
    limitMs: 1_000,
  });
  await expect(served).resolves.toBe(true);
  for (const gateway of gateways) await gateway.stop();
});

test("what is taken from a balance by hand cannot be spent by a gateway that had leased it", async ({
  tollgate,
  upstreams,
}) => {
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
