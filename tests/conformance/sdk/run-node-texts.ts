import assert from "node:assert/strict";
import type { Report } from "@tollgate/testkit/report.ts";
import OpenAI, { AzureOpenAI } from "openai";
import type { Stage } from "../stage/start-stage.ts";

const text = "hello there, old friend";

/** Runs text completions, embeddings, and moderations with the stock client. */
export async function runNodeTexts({ tollgate }: Stage, report: Report): Promise<void> {
  const { baseUrl, apiKey } = tollgate;
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
  const check = (name: string, run: () => Promise<void>) => report.check("node", name, run);

  await check("completions.create", async () => {
    const answer = await client.completions.create({ model: "sim/echo", prompt: [text, "another"], n: 2 });
    assert.equal(answer.object, "text_completion");
    assert.deepEqual(
      answer.choices.map(({ index, text: said }) => [index, said]),
      [
        [0, text],
        [1, text],
        [2, "another"],
        [3, "another"],
      ],
    );
  });

  await check("completions.create as a stream with include_usage", async () => {
    const asked = { model: "sim/echo", prompt: text };
    let said = "";
    let usage: unknown = null;
    const stream = await client.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } });
    for await (const chunk of stream) {
      said += chunk.choices[0]?.text ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.equal(said, text);
    assert.deepEqual(usage, (await client.completions.create(asked)).usage);
  });

  await check("completions.create throws if a stream is truncated", async () => {
    const stream = await client.completions.create({ model: "sim/cut?after=2", prompt: text, stream: true });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, OpenAI.APIError);
  });

  await check("embeddings.create, with base64 that the client decodes", async () => {
    const answer = await client.embeddings.create({ model: "sim/embed", input: [text, "another"], dimensions: 64 });
    const plain = await client.embeddings.create({
      model: "sim/embed",
      input: text,
      dimensions: 64,
      encoding_format: "float",
    });
    assert.equal(answer.data.length, 2);
    assert.equal(answer.data[0]?.embedding.length, 64);
    assert.deepEqual([...(answer.data[0]?.embedding ?? [])], plain.data[0]?.embedding);
    assert.equal(answer.usage.prompt_tokens, answer.usage.total_tokens);
  });

  await check("embeddings.create refuses empty input", async () => {
    await assert.rejects(client.embeddings.create({ model: "sim/embed", input: [] }), OpenAI.BadRequestError);
  });

  await check("moderations.create", async () => {
    const { results } = await client.moderations.create({
      model: "sim/moderation",
      input: [text, "I will attack you"],
    });
    assert.deepEqual(
      results.map(({ flagged }) => flagged),
      [false, true],
    );
    assert.equal(results[1]?.categories.violence, true);
    assert.deepEqual(Object.keys(results[1]?.category_scores ?? {}), Object.keys(results[1]?.categories ?? {}));
  });

  await check("the Azure client creates completions and embeddings, with its own header and path", async () => {
    const azure = { endpoint: baseUrl, apiKey, apiVersion: "2024-10-21", maxRetries: 0 };
    const completing = new AzureOpenAI({ ...azure, deployment: "sim/echo" });
    assert.equal((await completing.completions.create({ model: "", prompt: text })).choices[0]?.text, text);
    const embedding = new AzureOpenAI({ ...azure, deployment: "sim/embed" });
    assert.equal((await embedding.embeddings.create({ model: "", input: text })).data.length, 1);
  });
}
