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
      const [row] = await querySql<{ input: string; output: string }>(
        database.connectionString,
        `select input_tokens + cache_read_tokens + cache_write_tokens as input, output_tokens as output
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
    });
  },
);
