import { chatAnswer, chatFrames, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-assistants.fixture.ts";

const IMPOSSIBLE = { prompt_tokens: 2_000_000_000, completion_tokens: 2_000_000_000, total_tokens: 4_000_000_000 };

test.for([
  ["non-streamed", false],
  ["streamed", true],
] as const)(
  "a %s run reports the usage that the ledger charged, even if the provider reports impossible usage",
  async ([, stream], { hosted, database, upstream, runWorker: _ }) => {
    const person = await hosted.signUp();
    await hosted.addCredit(person, 1_000_000_000n);
    const { token } = await hosted.createKey(person);
    const ask = async (method: string, path: string, body?: object) =>
      (await hosted.api(method, path, { token, ...(body && { body }) })).body;
    if (stream)
      upstream.streams([
        ...chatFrames().slice(0, -2),
        sseFrame({ choices: [], usage: IMPOSSIBLE }),
        "data: [DONE]\n\n",
      ]);
    else upstream.replies(200, { ...chatAnswer(), usage: IMPOSSIBLE });
    const assistant = await ask("POST", "/v1/assistants", { model: "metered" });
    const thread = await ask("POST", "/v1/threads", { messages: [{ role: "user", content: "hello" }] });
    await hosted.api("POST", `/v1/threads/${thread.id}/runs`, { token, body: { assistant_id: assistant.id, stream } });
    const run = await waitFor("the end of the run", async () => {
      const [last] = (await ask("GET", `/v1/threads/${thread.id}/runs`)).data;
      return last?.status === "completed" ? last : null;
    });
    const used = await waitFor("the settled call", async () => {
      const [row] = await querySql<{ input: string; output: string; cost: string }>(
        database.connectionString,
        `select input_tokens + cache_read_tokens + cache_write_tokens as input, output_tokens as output, cost
         from usage_events where organization_id = '${person.organizationId}'`,
      );
      return row ?? null;
    });
    const [prompt, completion] = [Number(used.input), Number(used.output)];
    expect(prompt + completion).toBeLessThan(10_000);
    expect(run.usage).toEqual({
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      cost_nano_usd: Number(used.cost),
    });
    expect(Number(used.cost)).toBe(prompt * 1_000 + completion * 2_000);
  },
);

test.for([
  ["non-streamed", false],
  ["streamed", true],
] as const)(
  "the cost of a %s run with several turns is what the ledger charged for them",
  async ([, stream], { hosted, database, upstream, runWorker: _ }) => {
    const person = await hosted.signUp();
    await hosted.addCredit(person, 1_000_000_000n);
    const { token } = await hosted.createKey(person);
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await hosted.api(method, path, { token, ...(body && { body }) });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    const lastRun = (thread: string, status: string) =>
      waitFor(`a run that is ${status}`, async () => {
        const [last] = (await ask("GET", `/v1/threads/${thread}/runs`)).data;
        return last?.status === status ? last : null;
      });
    const usage = { prompt_tokens: 37, completion_tokens: 11, total_tokens: 48 };
    const call = { index: 0, id: "a", type: "function", function: { name: "weather", arguments: "{}" } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    if (stream) {
      const delta = { choices: [{ index: 0, delta: message, finish_reason: null }] };
      const end = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
      // A provider cannot set the cost of a run.
      const report = { choices: [], usage: { ...usage, cost_nano_usd: 999 } };
      upstream.streams([sseFrame(delta), sseFrame(end), sseFrame(report), "data: [DONE]\n\n"]);
    } else {
      const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
      upstream.replies(200, { ...chatAnswer(), choices, usage: { ...usage, cost_nano_usd: 999 } });
    }
    const tools = [{ type: "function", function: { name: "weather" } }];
    const assistant = await ask("POST", "/v1/assistants", { model: "metered", tools });
    const { id: thread } = await ask("POST", "/v1/threads", { messages: [{ role: "user", content: "hello" }] });
    await hosted.api("POST", `/v1/threads/${thread}/runs`, { token, body: { assistant_id: assistant.id, stream } });
    const waiting = await lastRun(thread, "requires_action");
    expect(waiting.usage).toBeNull();
    if (stream) upstream.streams(chatFrames());
    else upstream.replies(200, chatAnswer());
    const [asked] = waiting.required_action.submit_tool_outputs.tool_calls;
    const outputs = { tool_outputs: [{ tool_call_id: asked.id, output: "sunny" }], stream };
    await hosted.api("POST", `/v1/threads/${thread}/runs/${waiting.id}/submit_tool_outputs`, { token, body: outputs });
    const run = await lastRun(thread, "completed");

    const charged = await waitFor("both turns in the ledger", async () => {
      const [row] = await querySql<{ calls: string; cost: string; posted: string }>(
        database.connectionString,
        `select count(*) as calls, sum(u.cost) as cost,
              (select sum(p.amount) from ledger_postings p where p.source = 'org:${person.organizationId}:credits') as posted
         from usage_events u where organization_id = '${person.organizationId}' and request_id like '${run.id}-%'`,
      );
      return Number(row?.calls) === 2 ? row : null;
    });
    expect(run.usage.cost_nano_usd).toBe(Number(charged?.cost));
    expect(run.usage.cost_nano_usd).toBe(Number(charged?.posted));
    expect(run.usage.cost_nano_usd).toBe(run.usage.prompt_tokens * 1_000 + run.usage.completion_tokens * 2_000);
  },
);
