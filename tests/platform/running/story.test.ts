import { createHmac, randomUUID } from "node:crypto";
import { NANO_PER_CENT } from "@tollgate/domain/money.ts";
import type { ApiAnswer } from "@tollgate/testkit/api-client.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, type RunningPlatform, startRunningPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startRunningPlatform();
});
afterAll(() => platform.stop());

const DELIVERIES = 500;

test("signing up, buying credit, exact charges, blocking on debt, and unblocking on payment all work without a restart", async () => {
  const person = await platform.signUp();
  const created = await platform.api("POST", "/api/gw/api-keys", {
    token: person.token,
    body: { name: "story", team_id: person.teamId },
  });
  const key = created.body.apiKey.token as string;

  // Without credit, both APIs refuse the call in their own format and mark it as not retryable.
  const poor = await platform.chat(key);
  expect(poor).toMatchObject({ status: 429, body: { error: { code: "QUOTA_EXCEEDED", type: "insufficient_quota" } } });
  expect(poor.headers.get("x-should-retry")).toBe("false");
  expect(poor.headers.get("retry-after")).toBeNull();
  const messages = {
    model: "expensive",
    messages: [{ role: "user", content: "hello" }],
    apiKey: created.body.apiKey.id,
  };
  expect(await platform.api("POST", "/api/gw/messages", { token: person.token, body: messages })).toMatchObject({
    status: 402,
    body: { code: "QUOTA_EXCEEDED" },
  });

  await pay(person, 200n, DELIVERIES);
  expect(await platform.balanceOf(person)).toBe(200n * NANO_PER_CENT);

  const answer = await platform.chat(key);
  expect(answer.status).toBe(200);
  const cost = BigInt(answer.headers.get("x-gw-response-cost-nano-usd") ?? "0");
  expect(cost).toBeGreaterThan(0n);
  await platform.settled(person, 200n * NANO_PER_CENT - cost);

  // With a little credit, one more call is admitted, and it costs more than the remaining credit.
  await platform.moveCredits(person, 1_000n - (200n * NANO_PER_CENT - cost));
  expect((await platform.chat(key)).status).toBe(200);
  const debt = 1_000n - cost;
  await platform.settled(person, debt);
  // Until the block notification arrives, a gateway refuses calls for lack of credit.
  const blocked = await answersOtherThan(429, key);
  expect(blocked).toMatchObject({ status: 403, body: { error: { code: "TEAM_BLOCKED", type: "permission_error" } } });
  expect(await platform.api("POST", "/api/gw/messages", { token: person.token, body: messages })).toMatchObject({
    status: 403,
    body: { code: "TEAM_BLOCKED", details: { blockedReason: "negative_balance" } },
  });
  const teams = await platform.api("GET", "/api/gw/teams", { token: person.token });
  expect(teams.body.data.map((team: { status: string }) => team.status)).toEqual(["blocked"]);

  // A payment that is too small does not remove the block.
  const part = 10n;
  expect(part * NANO_PER_CENT).toBeLessThan(-debt);
  await pay(person, part, 3);
  expect(await platform.balanceOf(person)).toBe(debt + part * NANO_PER_CENT);
  expect((await platform.chat(key)).body.error.code).toBe("TEAM_BLOCKED");

  await pay(person, 1_000n, 3);
  expect((await answersOtherThan(403, key)).status).toBe(200);
});

/** Calls until the response has another status, within the second in which a change must take effect. */
function answersOtherThan(status: number, key: string): Promise<ApiAnswer> {
  const call = async () => {
    const answer = await platform.chat(key);
    return answer.status !== status && answer;
  };
  return waitFor(`a status other than ${status}`, call, { limitMs: 1_000 });
}

/** Buys credit and delivers the provider's events several times, concurrently and out of order. */
async function pay(person: Person, cents: bigint, deliveries: number): Promise<void> {
  const { body } = await platform.api("POST", "/api/credits/purchases", {
    token: person.token,
    headers: { "idempotency-key": randomUUID() },
    body: { amount: String(cents * NANO_PER_CENT) },
  });
  const session = (payment_status: string) => ({
    id: body.purchase.providerSessionId,
    object: "checkout.session",
    client_reference_id: body.purchase.id,
    metadata: { purchase_id: body.purchase.id, organization_id: person.organizationId },
    payment_intent: `pi_${body.purchase.id}`,
    payment_status,
    amount_total: Number(cents),
    total_details: { amount_tax: 0 },
    currency: "usd",
  });
  const events = [
    makeEvent("checkout.session.async_payment_succeeded", session("paid")),
    makeEvent("checkout.session.completed", session("unpaid")),
  ];
  const answers = await Promise.all(
    Array.from({ length: deliveries }, (_, index) => deliver(events[index % 2 === 0 ? 0 : 1] as string)),
  );
  // A provider redelivers events that were not accepted.
  const again = answers.flatMap((status, index) => (status === 200 ? [] : [deliver(events[index % 2] as string)]));
  await Promise.all(again);
  expect(await deliver(events[0] as string)).toBe(200);
}

function makeEvent(type: string, object: object): string {
  const created = Math.floor(Date.now() / 1_000);
  return JSON.stringify({ id: `evt_${randomUUID()}`, object: "event", created, type, data: { object } });
}

async function deliver(text: string): Promise<number> {
  const atSeconds = Math.floor(Date.now() / 1_000);
  const digest = createHmac("sha256", platform.webhookSecret).update(`${atSeconds}.${text}`).digest("hex");
  const answer = await platform.api("POST", "/api/webhooks/stripe", {
    body: text,
    headers: { "stripe-signature": `t=${atSeconds},v1=${digest}` },
  });
  return answer.status;
}
