import assert from "node:assert/strict";
import type { Report } from "@tollgate/testkit/report.ts";
import OpenAI, { AzureOpenAI, toFile } from "openai";
import type { Stage } from "../stage/start-stage.ts";

const TEXT = "Good evening, and welcome.";

/** Runs audio and image operations with the stock client. Only the URL and the key differ from OpenAI's. */
export async function runNodeMedia({ tollgate }: Stage, report: Report): Promise<void> {
  const { baseUrl, apiKey } = tollgate;
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
  const { speech, transcriptions } = client.audio;
  const check = (name: string, run: () => Promise<void>) => report.check("node", name, run);
  const say = async (format: "wav" | "mp3" = "wav") =>
    speech.create({ model: "sim/speech", voice: "alloy", input: TEXT, response_format: format });
  const recording = async () => toFile(Buffer.from(await (await say()).arrayBuffer()), "evening.wav");

  await check("audio.speech.create", async () => {
    const answer = await say();
    assert.equal(answer.headers.get("content-type"), "audio/wav");
    const sound = Buffer.from(await answer.arrayBuffer());
    assert.equal(sound.toString("latin1", 0, 4), "RIFF");
    assert.equal((await say("mp3")).headers.get("content-type"), "audio/mpeg");
  });

  await check("audio.speech.create, read as a stream", async () => {
    const answer = await speech.create({ model: "sim/speech?tps=50", voice: "alloy", input: TEXT });
    let pieces = 0;
    for await (const _ of answer.body as unknown as AsyncIterable<Uint8Array>) pieces += 1;
    assert.ok(pieces > 1, "the sound comes in pieces");
  });

  await check("audio.speech.create as server-sent events", async () => {
    const answer = await speech.create({ model: "sim/speech", voice: "alloy", input: TEXT, stream_format: "sse" });
    const text = await answer.text();
    assert.ok(text.includes('"speech.audio.delta"') && text.includes('"speech.audio.done"'));
  });

  await check("audio.speech.create refuses input that is too long", async () => {
    const asked = speech.create({ model: "sim/speech", voice: "alloy", input: "a".repeat(4_097) });
    await assert.rejects(asked, OpenAI.UnprocessableEntityError);
  });

  await check("audio.transcriptions.create in five formats", async () => {
    const model = "sim/transcribe";
    const { text } = await transcriptions.create({ model, file: await recording() });
    assert.ok(text.length > 0);
    const file = await recording();
    assert.equal(await transcriptions.create({ model, file, response_format: "text" }), `${text}\n`);
    const srt = await transcriptions.create({ model, file, response_format: "srt" });
    assert.match(String(srt), /^1\n00:00:00,000 --> /);
    const vtt = await transcriptions.create({ model, file, response_format: "vtt" });
    assert.match(String(vtt), /^WEBVTT\n\n00:00\.000 --> /);
    const verbose = await transcriptions.create({
      model,
      file,
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    assert.equal(verbose.text, text);
    assert.ok((verbose.segments?.length ?? 0) > 0 && (verbose.words?.length ?? 0) > 0);
  });

  await check("audio.transcriptions.create as a stream", async () => {
    const events = await transcriptions.create({ model: "sim/transcribe", file: await recording(), stream: true });
    let said = "";
    let whole: string | null = null;
    for await (const event of events) {
      if (event.type === "transcript.text.delta") said += event.delta;
      if (event.type === "transcript.text.done") whole = event.text;
    }
    assert.ok(said.length > 0);
    assert.equal(said, whole);
  });

  await check("audio.transcriptions.create on a deployment's path", async () => {
    const azure = new AzureOpenAI({ endpoint: baseUrl, apiKey, apiVersion: "2024-10-21", maxRetries: 0 });
    const file = await recording();
    const { text } = await azure.audio.transcriptions.create({ model: "sim/transcribe", file });
    assert.ok(text.length > 0);
  });

  await check("images.generate", async () => {
    const { data } = await client.images.generate({
      model: "sim/image",
      prompt: "a lighthouse",
      n: 2,
      response_format: "b64_json",
    });
    assert.equal(data?.length, 2);
    const picture = Buffer.from(data?.[0]?.b64_json ?? "", "base64");
    assert.equal(picture.toString("latin1", 1, 4), "PNG");
    const { data: named } = await client.images.generate({ model: "sim/image", prompt: "a lighthouse" });
    assert.ok(named?.[0]?.url?.startsWith("data:image/png;base64,"));
  });
}
