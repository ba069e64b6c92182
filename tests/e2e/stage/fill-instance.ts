import { randomUUID } from "node:crypto";
import type { PlatformClient } from "@tollgate/sdk/platform";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import type { Instance } from "./start-instance.ts";

/** IDs in the URLs of detail pages. */
export interface Filled {
  readonly keyId: string;
  readonly teamId: string;
  readonly callId: string;
  readonly session: string;
  readonly purchaseId: string;
  readonly pendingPurchaseId: string;
  readonly threadId: string;
}

const LONG_NAME = "Customer support, second line, Europe and the Middle East, on weekdays from 8 AM to 6 PM";
const CALLS = [
  { model: "sim/echo" },
  { model: "sim/lorem?tokens=120" },
  { model: "sim/lorem?tokens=300&tps=900", stream: true },
  { model: "support-chat" },
  { model: "sim/error?status=429" },
  { model: "no-such-model" },
];
const ROUNDS = 5;
/** An agent names its session in a header. */
const SESSION = "Month-end close, agent 7";

/** Gives the administrator's organization at least one record of every kind that pages show. */
export async function fillInstance(instance: Instance): Promise<Filled> {
  const platform = await instance.signIn(instance.admin);
  const { team } = await platform.call("createTeam", { body: { name: LONG_NAME } });
  const { apiKey } = await platform.call("createApiKey", {
    body: { name: "Nightly reports", team_id: team.id, budget: { limit: 2_000_000_000n, period: "monthly" } },
  });
  if (apiKey.token === null) throw new Error("a new key has no secret");
  await platform.call("inviteOrganizationMember", {
    params: { id: team.organizationId },
    body: { email: "newcomer@example.com", role: "member" },
  });
  const purchaseId = await buy(platform, "paid");
  const pendingPurchaseId = await buy(platform, "processing");
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = round > 0 ? SESSION : null;
    const key = round % 2 === 0 ? apiKey.token : instance.apiKey;
    for (const call of CALLS) await callModel(instance, key, call, session);
  }
  const threadId = await makeThread(instance, apiKey.token);
  const callId = await waitFor("settled calls", async () => {
    const { data } = await platform.call("listLogs", { query: { class: ["succeeded"] } });
    return data.length >= ROUNDS && data[0]?.id;
  });
  return { keyId: apiKey.id, teamId: team.id, callId, session: SESSION, purchaseId, pendingPurchaseId, threadId };
}

async function buy(platform: PlatformClient, outcome: "paid" | "processing"): Promise<string> {
  const { purchase } = await platform.call("createPurchase", {
    body: { amount: 20_000_000_000n },
    idempotencyKey: randomUUID(),
  });
  await platform.call("simulatePayment", { params: { id: purchase.id }, body: { outcome } });
  return purchase.id;
}

async function callModel(
  instance: Instance,
  apiKey: string,
  call: { model: string; stream?: boolean },
  session: string | null,
): Promise<void> {
  const messages = [{ role: "user", content: "Which October invoices are still open?" }];
  const headers: Record<string, string> = session === null ? {} : { "x-session-id": session };
  const answer = await post(instance, apiKey, "/v1/chat/completions", { ...call, messages }, headers);
  await answer.text();
}

async function makeThread(instance: Instance, apiKey: string): Promise<string> {
  const assistant = await post(instance, apiKey, "/v1/assistants", { model: "sim/echo", name: "Bookkeeper" });
  const { id: assistant_id } = (await assistant.json()) as { id: string };
  const run = await post(instance, apiKey, "/v1/threads/runs", {
    assistant_id,
    thread: { messages: [{ role: "user", content: "Sum up the week." }] },
  });
  return ((await run.json()) as { thread_id: string }).thread_id;
}

/** Makes one gateway call, as an API client would. */
export function post(
  instance: Instance,
  apiKey: string,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${instance.url}${path}`, {
    method: "POST",
    headers: { "x-gw-api-key": apiKey, "content-type": "application/json", "openai-beta": "assistants=v2", ...headers },
    body: JSON.stringify(body),
  });
}
