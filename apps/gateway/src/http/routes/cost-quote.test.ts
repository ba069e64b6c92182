import type { CostQuote } from "@tollgate/contracts/utilities/cost-quote.ts";
import { describe, expect } from "vitest";
import { MASTER_KEY } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const priced = (mode: string, prices: string) =>
  `  - { model_name: ${mode}, litellm_params: { model: openai_compatible/m, api_base: "http://127.0.0.1:9/v1", ${prices} }, model_info: { mode: ${mode} } }`;
const yaml = [
  priced("completion", "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002"),
  priced("embedding", "input_cost_per_token: 0.000001, output_cost_per_token: 0"),
  priced("moderation", "input_cost_per_token: 0, output_cost_per_token: 0"),
  priced("audio_speech", "input_cost_per_character: 0.00001"),
  priced("audio_transcription", "input_cost_per_second: 0.0001"),
  priced("image_generation", "output_cost_per_image: 0.04"),
].join("\n");

describe("a cost quote is available for", () => {
  const bodies: readonly [string, object, Partial<CostQuote>][] = [
    ["completions", { model: "completion", prompt: "hi", max_tokens: 7 }, { max_output_tokens: 7 }],
    ["embeddings", { model: "embedding", input: "a few words" }, { max_output_tokens: 0, input_tokens: 3 }],
    ["moderations", { model: "moderation", input: "hi" }, { worst_case_nano_usd: 0n }],
    ["audio.speech", { model: "audio_speech", input: "hello", voice: "alloy" }, { expected_nano_usd: 50_000n }],
    ["images.generations", { model: "image_generation", prompt: "a cat", n: 2 }, { worst_case_nano_usd: 80_000_000n }],
  ];
  for (const [operation, body, expected] of bodies) {
    test(`${operation}`, async ({ start }) => {
      const gateway = await start({ yaml });
      const answer = await gateway.post(`/utils/cost_quote?operation=${operation}`, body);
      const text = await answer.text();
      expect(answer.status, text).toBe(200);
      const quoted = JSON.parse(text) as Record<string, unknown>;
      for (const [name, value] of Object.entries(expected)) {
        expect(quoted[name], name).toBe(typeof value === "bigint" ? Number(value) : value);
      }
      expect(quoted).toMatchObject({ admitted: true });
      expect(Number(quoted.expected_nano_usd)).toBeLessThanOrEqual(Number(quoted.worst_case_nano_usd));
    });
  }

  test("requests with a fee", async ({ start }) => {
    const fee = "gw_settings: { cost_margin: { global: { fixed_amount: 0.001 } } }";
    const gateway = await start({ yaml: `${yaml}\n${fee}` });
    const quoteOf = async (operation: string, body: object) =>
      (await (await gateway.post(`/utils/cost_quote?operation=${operation}`, body)).json()) as Record<string, number>;
    const image = await quoteOf("images.generations", { model: "image_generation", prompt: "a cat", n: 2 });
    expect(image).toMatchObject({ worst_case_nano_usd: 81_000_000, expected_nano_usd: 81_000_000 });
    const chat = await quoteOf("completions", { model: "completion", prompt: "hi", max_tokens: 7 });
    expect(chat.expected_nano_usd).toBeGreaterThan(1_000_000);
    expect(chat.worst_case_nano_usd).toBeGreaterThanOrEqual(chat.expected_nano_usd as number);
  });

  test("long prompts, at the rates of their size", async ({ start }) => {
    const rules =
      "price_rules: [{ above_input_tokens: 100, input_cost_per_token: 0.000003, output_cost_per_token: 0.000005 }]";
    const costs = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
    const gateway = await start({ yaml: priced("chat", `${costs}, ${rules}`) });
    const quoteOf = async (content: string) => {
      const body = { model: "chat", messages: [{ role: "user", content }], max_tokens: 7 };
      return (await (await gateway.post("/utils/cost_quote", body)).json()) as CostQuote;
    };
    // The expected output is half of the maximum.
    const [short, long] = [await quoteOf("hi"), await quoteOf("a word ".repeat(500))];
    expect(short.expected_nano_usd).toBe(short.input_tokens * 1_000 + 4 * 2_000);
    expect(long.expected_nano_usd).toBe(long.input_tokens * 3_000 + 4 * 5_000);
    expect(long.price_version).not.toBe(short.price_version);
  });

  test("audio.transcriptions, with a form as the body", async ({ start }) => {
    const gateway = await start({ yaml });
    const form = new FormData();
    form.set("model", "audio_transcription");
    form.set("file", new Blob([Buffer.alloc(40_000)]), "speech.mp3");
    const answer = await fetch(`${gateway.url}/utils/cost_quote?operation=audio.transcriptions`, {
      method: "POST",
      headers: { "x-gw-api-key": MASTER_KEY },
      body: form,
    });
    const quoted = (await answer.json()) as Record<string, number>;
    expect(answer.status, JSON.stringify(quoted)).toBe(200);
    // The size of ten seconds of audio at the typical bitrate of compressed speech.
    expect(quoted.expected_nano_usd).toBe(1_000_000);
    expect(quoted.worst_case_nano_usd).toBeGreaterThan(1_000_000);
  });
});

test("rejects malformed JSON with 422, and any request that the operation itself would reject", async ({ start }) => {
  const gateway = await start({ yaml });
  const broken = await gateway.post("/utils/cost_quote", "{");
  expect(broken.status).toBe(422);
  expect(await broken.json()).toMatchObject({ detail: [{ type: "json_invalid" }] });
  const messages = [{ role: "user", content: "hi" }];
  const steering = await gateway.post("/utils/cost_quote", { model: "alpha", messages, api_key: "sk-x" });
  expect(await errorOf(steering)).toMatchObject({ code: "client_side_credentials_not_allowed" });
  const refused = await gateway.post("/utils/cost_quote?operation=embeddings", { model: "nope", input: "hi" });
  expect(await errorOf(refused)).toMatchObject({ code: "model_not_found" });
});
