import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-assistants.fixture.ts";

const MODERATION = `guardrails:
  - {guardrail_name: safe, litellm_params: {guardrail: moderation, mode: pre_call, model: metered, default_on: true}}
`;
const moderation = {
  id: "modr-1",
  model: "m1",
  results: [{ flagged: false, categories: {}, category_scores: {} }],
  usage: { prompt_tokens: 7, total_tokens: 7 },
};

const forms = [
  ["non-streamed", false],
  ["streamed", true],
] as const;

test.for(forms)(
  "the cost of a %s run includes the moderation of its prompt, and its tokens are those of the model",
  async ([, stream], { hosted, database, upstream, runWorker: _ }) => {
    const person = await hosted.signUp();
    await hosted.addCredit(person, 1_000_000_000n);
    const { token } = await hosted.createKey(person);
    await hosted.reload(MODERATION);
    const ask = async (method: string, path: string, body?: object) =>
      (await hosted.api(method, path, { token, ...(body && { body }) })).body;
    upstream.behaves(reply(200, moderation), stream ? streamFrames(chatFrames()) : reply(200, chatAnswer()));
    const assistant = await ask("POST", "/v1/assistants", { model: "metered" });
    const thread = await ask("POST", "/v1/threads", { messages: [{ role: "user", content: "hello" }] });
    await hosted.api("POST", `/v1/threads/${thread.id}/runs`, { token, body: { assistant_id: assistant.id, stream } });
    const run = await waitFor("the end of the run", async () => {
      const [last] = (await ask("GET", `/v1/threads/${thread.id}/runs`)).data;
      return last?.completed_at == null && last?.failed_at == null ? null : last;
    });
    const rows = await waitFor("both calls in the ledger", async () => {
      const found = await querySql<{ endpoint: string; tokens: string; cost: string }>(
        database.connectionString,
        `select endpoint, input_tokens + cache_read_tokens + cache_write_tokens + output_tokens as tokens, cost
           from usage_events where request_id like '${run.id}-%' order by endpoint`,
      );
      return found.length === 2 ? found : null;
    });
    expect(rows.map(({ endpoint }) => endpoint)).toEqual(["assistants.run", "moderations"]);
    expect(Number(rows[1]?.cost)).toBeGreaterThan(0);
    expect(run.status).toBe("completed");
    expect(run.usage.total_tokens).toBe(Number(rows[0]?.tokens));
    expect(run.usage.cost_nano_usd).toBe(rows.reduce((sum, { cost }) => sum + Number(cost), 0));
  },
);

const WORDS = `guardrails:
  - {guardrail_name: words, litellm_params: {guardrail: keyword_block, mode: MODE, keywords: [swordfish], default_on: true}}
`;

test.for([
  ["non-streamed", false, "post_call", 120_000],
  ["streamed", true, "post_call", 120_000],
  ["non-streamed", false, "pre_call", 0],
] as const)(
  "a %s run that a guardrail blocks costs what was charged (stream: %s, %s)",
  async ([, stream, mode, cost], { hosted, database, upstream, runWorker: _ }) => {
    const person = await hosted.signUp();
    await hosted.addCredit(person, 1_000_000_000n);
    const { token } = await hosted.createKey(person);
    await hosted.reload(WORDS.replace("MODE", mode));
    const ask = async (method: string, path: string, body?: object) =>
      (await hosted.api(method, path, { token, ...(body && { body }) })).body;
    const said = { inputTokens: 100, outputTokens: 10 };
    if (stream) upstream.streams(chatFrames({ ...said, pieces: ["swordfish"] }));
    else upstream.replies(200, chatAnswer({ ...said, content: "swordfish" }));
    const assistant = await ask("POST", "/v1/assistants", { model: "metered" });
    const content = mode === "pre_call" ? "swordfish" : "hello";
    const thread = await ask("POST", "/v1/threads", { messages: [{ role: "user", content }] });
    await hosted.api("POST", `/v1/threads/${thread.id}/runs`, { token, body: { assistant_id: assistant.id, stream } });
    const run = await waitFor("the end of the run", async () => {
      const [last] = (await ask("GET", `/v1/threads/${thread.id}/runs`)).data;
      return last?.status === "failed" ? last : null;
    });
    expect(run.usage.cost_nano_usd).toBe(cost);
    expect(run.usage.total_tokens).toBe(cost === 0 ? 0 : 110);
    const charged = await waitFor("the call in the ledger", async () => {
      const [row] = await querySql<{ cost: string | null }>(
        database.connectionString,
        `select sum(cost) as cost from usage_events where request_id like '${run.id}-%'`,
      );
      return cost === 0 || row?.cost != null ? { cost: Number(row?.cost ?? 0) } : null;
    });
    expect(charged).toEqual({ cost });
  },
);
