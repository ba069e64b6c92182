import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Report } from "@tollgate/testkit/report.ts";
import OpenAI, { toFile } from "openai";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { PICTURE, POINT } from "../stage/play-conversation.ts";
import type { Stage } from "../stage/start-stage.ts";
import { type Family, families } from "./families.ts";
import { makeSilence } from "./make-silence.ts";

const hello = [{ role: "user" as const, content: "hello there, old friend" }];
const Point = z.object({ x: z.number().int(), label: z.string() });
const City = z.object({ city: z.string() });
const formats = ["json", "text", "srt", "verbose_json", "vtt"] as const;

/** Runs the same programs with the stock client on every kind of upstream, including simulated models. */
export async function runNodeFamilies({ tollgate }: Stage, report: Report): Promise<void> {
  const client = new OpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: tollgate.apiKey, maxRetries: 0 });
  for (const family of families) {
    const check = (name: string, run: () => Promise<void>) => report.check("node", `${family.name}: ${name}`, run);
    await runChat(client, family, check);
    await runTexts(client, family, check);
    await runMedia(client, family, check);
  }
}

type Check = (name: string, run: () => Promise<void>) => Promise<boolean>;

async function runChat({ chat: { completions } }: OpenAI, family: Family, check: Check): Promise<void> {
  const { says } = family;

  await check("chat", async () => {
    const { choices, usage, model } = await completions.create({ model: family.chat, messages: hello });
    assert.equal(choices[0]?.message.content, says?.greeting ?? hello[0]?.content);
    assert.deepEqual([choices[0]?.finish_reason, model], ["stop", family.chat]);
    assert.equal((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0), usage?.total_tokens);
    assert.ok((usage?.total_tokens ?? 0) > 0);
  });

  await check("a stream with usage has the same content as a non-streaming response", async () => {
    const asked = { model: family.chat, messages: hello };
    const stream = await completions.create({ ...asked, stream: true, stream_options: { include_usage: true } });
    const chunks = await Array.fromAsync(stream);
    const whole = await completions.create(asked);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    assert.equal(text, whole.choices[0]?.message.content);
    assert.equal(chunks.filter(({ choices }) => choices[0]?.finish_reason === "stop").length, 1);
    const last = chunks.at(-1);
    assert.deepEqual(last?.choices, []);
    assert.deepEqual(counts(last?.usage), counts(whole.usage));
  });

  await check("a tool loop that the client runs", async () => {
    const asked: string[] = [];
    const tool = zodFunction({
      name: "get_weather",
      parameters: City,
      function: async ({ city }) => {
        asked.push(city);
        return `sunny in ${city}`;
      },
    });
    for (const stream of [false, true]) {
      const runner = stream
        ? completions.runTools({ model: family.tools, messages: hello, tools: [tool], stream: true })
        : completions.runTools({ model: family.tools, messages: hello, tools: [tool] });
      const text = await runner.finalContent();
      assert.equal(asked.length, stream ? 2 : 1, "the tool was called once");
      if (says === null) assert.ok(text?.includes("sunny"), `${text}`);
      else assert.deepEqual([asked.at(-1), text], ["Zürich", says.weather]);
    }
  });

  await check("a structured response, parsed by the client", async () => {
    const asked = { model: family.json, messages: hello, response_format: zodResponseFormat(Point, "point") };
    const whole = (await completions.parse(asked)).choices[0]?.message.parsed;
    const streamed = (await completions.stream(asked).finalChatCompletion()).choices[0]?.message.parsed;
    assert.ok(Point.safeParse(whole).success, JSON.stringify(whole));
    assert.deepEqual(streamed, whole);
    if (says !== null) assert.deepEqual(whole, POINT);
  });

  await check("an image", async () => {
    const image_url = { url: `data:image/png;base64,${PICTURE}` };
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url },
    ];
    const { choices } = await completions.create({ model: family.vision, messages: [{ role: "user", content }] });
    const text = choices[0]?.message.content;
    if (says === null) assert.ok(text);
    else assert.equal(text, says.picture);
  });

  if (says === null) return;
  await check("an upstream's refusal has the client's own error class", async () => {
    const messages = [{ role: "user" as const, content: "please fail" }];
    await assert.rejects(completions.create({ model: family.chat, messages }), OpenAI.BadRequestError);
    await assert.rejects(completions.create({ model: family.chat, messages, stream: true }), OpenAI.BadRequestError);
  });
}

async function runTexts(client: OpenAI, family: Family, check: Check): Promise<void> {
  const { embedding, moderation } = family;

  await check("completions", async () => {
    const asked = { model: family.completion, prompt: "Say hi" };
    const whole = await client.completions.create(asked);
    assert.equal(whole.object, "text_completion");
    assert.ok(whole.choices[0]?.text);
    const chunks = await Array.fromAsync(await client.completions.create({ ...asked, stream: true }));
    assert.equal(chunks.map(({ choices }) => choices[0]?.text ?? "").join(""), whole.choices[0]?.text);
  });

  if (embedding !== null) {
    await check("embeddings, in base64, which the client requests by default", async () => {
      const asked = { model: embedding, input: ["one", "other"], dimensions: 64 };
      const { data, usage } = await client.embeddings.create(asked);
      const plain = await client.embeddings.create({ ...asked, encoding_format: "float" });
      assert.deepEqual(
        data.map(({ embedding: vector }) => vector.length),
        [64, 64],
      );
      const narrowed = plain.data.map(({ embedding: vector }) => [...new Float32Array(vector)]);
      assert.deepEqual(
        data.map(({ embedding: vector }) => [...vector]),
        narrowed,
      );
      assert.equal(usage.prompt_tokens, usage.total_tokens);
    });
  }

  if (moderation !== null) {
    await check("moderations", async () => {
      const input = ["hello", "I will attack you"];
      const { results } = await client.moderations.create({ model: moderation, input });
      assert.deepEqual(
        results.map(({ flagged, categories }) => [flagged, categories.violence]),
        [
          [false, false],
          [true, true],
        ],
      );
    });
  }
}

async function runMedia(client: OpenAI, family: Family, check: Check): Promise<void> {
  const { speech, transcription, image } = family;
  const said = { voice: "alloy", input: "Good evening, and welcome.", response_format: "wav" as const };

  if (speech !== null) {
    await check("speech, streamed to a file", async () => {
      const folder = await mkdtemp(join(tmpdir(), "tollgate-speech-"));
      try {
        const answer = await client.audio.speech.create({ model: speech, ...said });
        assert.equal(answer.headers.get("content-type"), "audio/wav");
        const body = answer.body as unknown as import("node:stream/web").ReadableStream<Uint8Array>;
        let pieces = 0;
        const counted = Readable.fromWeb(body).on("data", () => {
          pieces += 1;
        });
        await pipeline(counted, createWriteStream(join(folder, "evening.wav")));
        const file = await readFile(join(folder, "evening.wav"));
        assert.equal(file.toString("latin1", 0, 4), "RIFF");
        assert.ok(file.length > 4_000 && pieces > 1, `${file.length} bytes in ${pieces} pieces`);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }

  if (transcription !== null) {
    await check("transcriptions in five formats", async () => {
      const file = () => toFile(makeSilence(), "evening.wav");
      const { text } = await client.audio.transcriptions.create({ model: transcription, file: await file() });
      assert.ok(text.length > 0);
      for (const response_format of formats) {
        const answer: unknown = await client.audio.transcriptions.create({
          model: transcription,
          file: await file(),
          response_format,
        });
        const isText = response_format === "text" || response_format === "srt" || response_format === "vtt";
        const received = isText ? String(answer) : (answer as { text: string }).text;
        assert.ok(received.includes(text.split(" ")[0] as string), `${response_format}: ${received}`);
        if (response_format === "srt") assert.match(received, /^1\n00:00:00,000 --> /);
        if (response_format === "vtt") assert.match(received, /^WEBVTT\n\n00:00\.000 --> /);
      }
    });
  }

  if (image !== null) {
    await check("images", async () => {
      const asked = { model: image, prompt: "a lighthouse" };
      const { data } = await client.images.generate({ ...asked, response_format: "b64_json" });
      assert.equal(Buffer.from(data?.[0]?.b64_json ?? "", "base64").toString("latin1", 1, 4), "PNG");
      const { data: named } = await client.images.generate({ ...asked, response_format: "url" });
      assert.match(named?.[0]?.url ?? "", /^(?:https:|data:image\/png)/);
    });
  }
}

const counts = (usage: OpenAI.CompletionUsage | null | undefined) =>
  usage && [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens];
