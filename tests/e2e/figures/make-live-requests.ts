import type { PlatformClient } from "@tollgate/sdk/platform";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { post } from "../stage/fill-instance.ts";
import type { Instance } from "../stage/start-instance.ts";
import type { Rows } from "./read-rows.ts";

/** Settings in addition to the demo's: one model that always fails, one without a price, and the response cache. */
export const LIVE_SETTINGS = `gw_settings: { cache: true, cache_params: { type: memory, mode: default_off } }
model_list:
  - model_name: broken-chat
    litellm_params: { model: "sim/error?status=500", input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
  - model_name: unpriced-chat
    litellm_params: { model: openai/house-model, api_base: "http://127.0.0.1:9/v1", api_key: sk-none }
`;

export const UNKNOWN_MODEL = "no-such-model";
/** More requests than get rows of their own, so that one row stands for many of them. */
const FLOOD = 30;
const CHAT = "/v1/chat/completions";
const SETTLE_LIMIT_MS = 30_000;

/** Keys with which the live requests are made. */
export interface LiveKeys {
  /** Key of most requests. */
  readonly busy: string;
  /** Key that reaches its rate limit. */
  readonly limited: string;
  /** Key that reaches its budget. */
  readonly spent: string;
  readonly teamId: string;
  /** Start of the first request. */
  readonly since: Date;
  /** ID of a request that was rejected because of its model. */
  readonly rejectedId: string;
  /** ID of a request that was refused because of a rate limit. */
  readonly refusedId: string;
}

/** Makes requests of every class, and waits until each of them is a row. */
export async function makeLiveRequests(instance: Instance, platform: PlatformClient, rows: Rows): Promise<LiveKeys> {
  const { data: teams } = await platform.call("listTeams", { query: { pageSize: 100 } });
  const teamId = String(teams.find(({ name }) => name === "Search")?.id);
  const create = async (name: string, more: object) => {
    const { apiKey } = await platform.call("createApiKey", { body: { name, team_id: teamId, ...more } });
    if (apiKey.token === null) throw new Error("a new key has no secret");
    return { id: apiKey.id, token: apiKey.token };
  };
  const busy = await create("live-traffic", { budget: { limit: 5_000_000_000n, period: "monthly" } });
  const limited = await create("live-limited", { rateLimit: { rpm: 2 } });
  const spent = await create("live-spent", { budget: { limit: 1n, period: "daily" } });
  const since = new Date();
  let made = 0;
  const call = async (token: string, path: string, body: object) => {
    made += 1;
    const answer = await post(instance, token, path, body);
    await answer.text();
    return answer;
  };
  const chat = (token: string, model: string, content: string, more: object = {}) =>
    call(token, CHAT, { model, messages: [{ role: "user", content }], ...more });

  for (const [index, model] of ["gpt-4.1-mini", "llama-3.3-70b", "gpt-oss-120b"].entries()) {
    await chat(busy.token, model, `Which October invoices are still open, page ${index}?`);
    await chat(busy.token, model, `Sum up invoice ${index}.`, { stream: true });
  }
  for (let round = 0; round < 3; round += 1) {
    await chat(busy.token, "llama-3.3-70b", "The same every time", { caching: true });
    await chat(busy.token, "broken-chat", `Attempt ${round}`);
  }
  await call(busy.token, "/v1/embeddings", { model: "text-embedding-3-small", input: "An invoice" });
  await call(busy.token, CHAT, { model: "gpt-4.1-mini", messages: "not a list" });
  await chat(busy.token, "unpriced-chat", "Hello");
  const rejected = await chat(busy.token, UNKNOWN_MODEL, "Hello");
  await Promise.all(Array.from({ length: FLOOD - 1 }, () => chat(busy.token, UNKNOWN_MODEL, "Hello")));
  made += 1;
  await cancelStream(instance, busy.token);
  await chat(limited.token, "llama-3.3-70b", "One");
  await chat(limited.token, "llama-3.3-70b", "Two");
  const refused = await chat(limited.token, "llama-3.3-70b", "Three");
  // The request that reaches the budget still succeeds. The one after its settlement is refused.
  await waitFor("a request above the budget", async () => !(await chat(spent.token, "llama-3.3-70b", "Hello")).ok);

  const keys = `key in ('${busy.id}', '${limited.id}', '${spent.id}')`;
  const range = { from: since, to: new Date(since.getTime() + 3_600_000) };
  await waitFor("the rows of all requests", async () => (await rows.sum(range, keys)).requests >= made, {
    limitMs: SETTLE_LIMIT_MS,
  });
  return {
    ...{ busy: busy.id, limited: limited.id, spent: spent.id, teamId, since },
    rejectedId: String(rejected.headers.get("x-gw-call-id")),
    refusedId: String(refused.headers.get("x-gw-call-id")),
  };
}

async function cancelStream(instance: Instance, token: string): Promise<void> {
  const stop = new AbortController();
  const answer = await fetch(`${instance.url}${CHAT}`, {
    method: "POST",
    headers: { "x-gw-api-key": token, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4.1", stream: true, messages: [{ role: "user", content: "Go on" }] }),
    signal: stop.signal,
  });
  await answer.body?.getReader().read();
  stop.abort();
}
