import { chatAnswer, chatFrames, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { chunk, chunksOf, errorOf, readerOf, test } from "../http/routes/chat-gateway.fixture.ts";

const guardrails = (...entries: readonly string[]) =>
  `guardrails:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`;
const words = (mode: string, more = "") =>
  `{guardrail_name: words, litellm_params: {guardrail: keyword_block, mode: ${mode}, keywords: [swordfish], ${more}}}`;
const pii = (mode: string, more = "") =>
  `{guardrail_name: pii, litellm_params: {guardrail: regex_pii, mode: ${mode}, entities: [email], action: mask, ${more}}}`;
const always = "default_on: true";
const says = (content: string) => ({ messages: [{ role: "user", content }] });
const usual = { model: "alpha", inputTokens: 9, outputTokens: 4 };

describe("pre-call guardrails", () => {
  test("block a request before it is sent, at no cost, with an error that names the guardrail", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: guardrails(words("pre_call", always)) });
    const answer = await gateway.chat({ model: "alpha", ...says("the password is SWORDFISH") });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({
      code: "guardrail_blocked",
      type: "invalid_request_error",
      provider_specific_fields: { guardrail_name: "words", mode: "pre_call", found: ["keyword"] },
    });
    expect(answer.headers.get("x-gw-error-name")).toBe("RejectedRequestError");
    expect(upstreams.alpha.requests).toHaveLength(0);
    expect(gateway.records).toHaveLength(0);
  });

  test.for([{ system: "swordfish" }, { chat_template: ["{{ 'swordfish' }}"] }, { odd: { type: "swordfish" } }])(
    "also check provider-specific fields: %j",
    async (fields, { start, upstreams }) => {
      const gateway = await start({ yaml: guardrails(words("pre_call", always)) });
      const answer = await gateway.chat({ model: "alpha", ...says("hi"), ...fields });
      expect(await errorOf(answer)).toMatchObject({ code: "guardrail_blocked" });
      expect(upstreams.alpha.requests).toHaveLength(0);
    },
  );

  test("mask matches in all text fields and leave the rest unchanged", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: guardrails(pii("pre_call", always)) });
    upstreams.alpha.replies(200, chatAnswer(usual));
    const answer = await gateway.chat({
      model: "alpha",
      temperature: 0.5,
      messages: [
        { role: "system", content: "Grüße 😀" },
        { role: "user", content: [{ type: "text", text: "I am müller@example.com" }] },
        {
          role: "assistant",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "mail", arguments: '{"to":"a.b@example.com"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "sent to a.b@example.com" },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-gw-applied-guardrails")).toBe("pii");
    expect((await upstreams.alpha.request(0)).json()).toEqual({
      model: "upstream-1",
      temperature: 0.5,
      messages: [
        { role: "system", content: "Grüße 😀" },
        { role: "user", content: [{ type: "text", text: "I am [EMAIL]" }] },
        {
          role: "assistant",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "mail", arguments: '{"to":"[EMAIL]"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "sent to [EMAIL]" },
      ],
    });
  });

  test("also check the body of a fallback", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: guardrails(pii("pre_call", always)) });
    upstreams.alpha.replies(500, {});
    upstreams.beta.replies(200, chatAnswer(usual));
    const fallbacks = [{ model: "beta", ...says("then ask b@example.com") }];
    expect((await gateway.chat({ model: "alpha", ...says("a@example.com"), fallbacks })).status).toBe(200);
    expect((await upstreams.alpha.request(0)).json()).toMatchObject(says("[EMAIL]"));
    expect((await upstreams.beta.request(0)).json()).toMatchObject(says("then ask [EMAIL]"));
  });

  test("check every operation that takes text, and reject token input", async ({ start }) => {
    const gateway = await start({ yaml: guardrails(words("pre_call", always)) });
    const bodies: [string, object][] = [
      ["/v1/completions", { model: "alpha", prompt: ["x", "swordfish"] }],
      ["/v1/embeddings", { model: "sim/embed", input: "swordfish" }],
      ["/v1/moderations", { model: "sim/moderation", input: ["swordfish"] }],
      ["/v1/audio/speech", { model: "sim/speech", input: "swordfish", voice: "alloy" }],
      ["/v1/images/generations", { model: "sim/image", prompt: "a swordfish" }],
      ["/v1/messages", { model: "alpha", max_tokens: 9, system: "swordfish", ...says("hello") }],
      [
        "/v1/responses",
        { model: "alpha", input: [{ role: "user", content: [{ type: "input_text", text: "swordfish" }] }] },
      ],
      ["/v1/rerank", { model: "alpha", query: "x", documents: [{ text: "swordfish" }] }],
    ];
    for (const [path, body] of bodies) {
      const answer = await gateway.post(path, body);
      expect([path, answer.status, (await answer.text()).includes("words")]).toEqual([path, 400, true]);
    }
    const tokens = await gateway.post("/v1/embeddings", { model: "sim/embed", input: [1, 2, 3] });
    expect(await errorOf(tokens)).toMatchObject({ code: "invalid_request", param: "input" });
    const fine = { model: "sim/echo", ...says("hello"), extra_body: { stop_token_ids: [1, 2] } };
    expect((await gateway.chat(fine)).status).toBe(200);
  });
});

describe("guardrail selection", () => {
  test("lets a request add a guardrail by name but not remove one, and rejects an unknown name", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: guardrails(words("pre_call", always), pii("pre_call")) });
    upstreams.alpha.replies(200, chatAnswer(usual));
    const text = says("a@example.com");
    await gateway.chat({ model: "alpha", ...text });
    await gateway.chat({ model: "alpha", ...text, guardrails: ["pii"] });
    expect((await upstreams.alpha.request(0)).json()).toMatchObject(text);
    expect((await upstreams.alpha.request(1)).json()).toMatchObject(says("[EMAIL]"));
    for (const none of [[], null, ["pii"]]) {
      const answer = await gateway.chat({ model: "alpha", ...says("swordfish"), guardrails: none });
      expect((await errorOf(answer)).code).toBe("guardrail_blocked");
    }
    const unknown = await gateway.chat({ model: "alpha", guardrails: ["pii", "nöne"] });
    expect(unknown.status).toBe(400);
    expect(await errorOf(unknown)).toMatchObject({ param: "guardrails", message: expect.stringContaining("'nöne'") });
    expect(upstreams.alpha.requests).toHaveLength(2);
  });
});

describe("during-call guardrails", () => {
  test.for([false, true])(
    "block a response, which is charged but not sent (stream: %s)",
    async (stream, { start, upstreams }) => {
      const gateway = await start({ yaml: guardrails(words("during_call", always)) });
      if (stream) upstreams.alpha.streams(chatFrames({ ...usual, pieces: ["one ", "two"] }));
      else upstreams.alpha.replies(200, chatAnswer(usual));
      const answer = await gateway.chat({ model: "alpha", stream, ...says("swordfish") });
      expect(answer.status).toBe(400);
      expect(await errorOf(answer)).toMatchObject({ provider_specific_fields: { mode: "during_call" } });
      await waitFor("the record", () => gateway.records.length === 1);
      expect(gateway.records).toMatchObject([{ status: "failure" }]);
      expect(gateway.records[0]?.usage.inputTokens).toBeGreaterThan(0);
      expect((await gateway.chat({ model: "alpha", stream, ...says("fine") })).status).toBe(200);
    },
  );
});

describe("post-call guardrails on a whole response", () => {
  test("mask all text and remove log probabilities", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: guardrails(pii("post_call", always)) });
    const message = { role: "assistant", content: "Ask bob@example.com", reasoning_content: "bob@example.com knows" };
    const logprobs = { content: [{ token: "bob@example.com", logprob: 0 }] };
    upstreams.alpha.replies(200, {
      ...chatAnswer(usual),
      choices: [{ index: 0, message, logprobs, finish_reason: "stop" }],
    });
    const body = (await (await gateway.chat({ model: "alpha" })).json()) as { choices: unknown[] };
    expect(body.choices).toEqual([
      {
        index: 0,
        message: { role: "assistant", content: "Ask [EMAIL]", reasoning_content: "[EMAIL] knows" },
        logprobs: null,
        finish_reason: "stop",
      },
    ]);
  });

  test("block a response, which is charged once, for all its tokens", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: guardrails(words("post_call", always)) });
    upstreams.alpha.replies(200, chatAnswer({ ...usual, content: "It is swordfish." }));
    const answer = await gateway.chat({ model: "alpha" });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "guardrail_blocked" });
    expect(gateway.records).toMatchObject([{ status: "failure", usage: { inputTokens: 9, outputTokens: 4 } }]);
    expect(upstreams.alpha.requests).toHaveLength(1);
  });

  test("block a response that exceeds the maximum length, whole or streamed", async ({ start, upstreams }) => {
    const limit = `{guardrail_name: short, litellm_params: {guardrail: max_length, mode: post_call, max_characters: 20, ${always}}}`;
    const gateway = await start({ yaml: guardrails(limit) });
    upstreams.alpha.replies(200, chatAnswer({ ...usual, content: "x".repeat(21) }));
    expect((await gateway.chat({ model: "alpha" })).status).toBe(400);
    const gate = Promise.withResolvers<void>();
    upstreams.alpha.streams(chatFrames({ pieces: ["x".repeat(20), "y"] }), {
      beforeFrame: (index) => (index === 2 ? gate.promise : undefined),
    });
    const reader = await readerOf(gateway.chat({ model: "alpha", stream: true }));
    await waitFor("the allowed part", () => reader.text.includes("xxxx"));
    gate.resolve();
    await reader.done;
    expect(chunksOf(reader.text)).toMatchObject({ isDone: false, error: { code: "guardrail_blocked" } });
  });
});

test("a response is cached after its guardrails run, and only for calls with the same guardrails", async ({
  start,
  upstreams,
}) => {
  const yaml = `${guardrails(pii("post_call"))}gw_settings: {cache: true, cache_params: {type: memory}}`;
  const gateway = await start({ yaml });
  upstreams.alpha.replies(200, chatAnswer({ ...usual, content: "Ask bob@example.com" }));
  const ask = async (more: object) => {
    const answer = await gateway.chat({ model: "alpha", ...more });
    const isHit = answer.headers.get("x-gw-cache-hit") === "true";
    return `${isHit} ${/Ask [^"]*/.exec(await answer.text())}`;
  };
  expect(await ask({ guardrails: ["pii"] })).toBe("false Ask [EMAIL]");
  expect(await ask({ guardrails: ["pii"] })).toBe("true Ask [EMAIL]");
  expect(await ask({})).toBe("false Ask bob@example.com");
  expect(await ask({ guardrails: ["pii"], stream: true })).toMatch("true Ask [EMAIL]");
  expect(upstreams.alpha.requests).toHaveLength(2);
});

describe("post-call guardrails on a stream", () => {
  const text = `${"Some words to fill the window. ".repeat(20)}Write to mary.smith@example.com or bob@example.com soon.`;

  test("mask matches that span frames, as in a whole response, and leave the rest unchanged", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: guardrails(pii("post_call", always)) });
    const pieces = text.match(/.{1,3}/gsu) as string[];
    upstreams.alpha.streams(chatFrames({ ...usual, model: "upstream-1", pieces }));
    const answer = await gateway.chat({ model: "alpha", stream: true, stream_options: { include_usage: true } });
    const { chunks, isDone } = chunksOf(await answer.text());
    expect(isDone).toBe(true);
    const choices = chunks.flatMap((each) => each.choices as unknown as Choice[]);
    expect(choices.map(({ delta }) => delta.content ?? "").join("")).toBe(
      text.replaceAll(/\S+@example\.com/g, "[EMAIL]"),
    );
    expect(choices.filter(({ finish_reason: reason }) => reason === "stop")).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 9, completion_tokens: 4 } });
    expect(gateway.records).toMatchObject([{ status: "success", usage: { inputTokens: 9, outputTokens: 4 } }]);
  });

  test("mask tool call arguments", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: guardrails(pii("post_call", always)) });
    const call = (fields: object) => {
      const delta = { tool_calls: [{ index: 0, ...fields }] };
      return sseFrame({ ...chunk(""), choices: [{ index: 0, delta, finish_reason: null }] });
    };
    const end = sseFrame({ ...chunk(""), choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
    const parts = ['{"to":"bob', "@exam", 'ple.com"}'].map((text) => call({ function: { arguments: text } }));
    upstreams.alpha.streams([
      call({ id: "call_1", type: "function", function: { name: "mail", arguments: "" } }),
      ...parts,
      end,
      "data: [DONE]\n\n",
    ]);
    const { chunks } = chunksOf(await (await gateway.chat({ model: "alpha", stream: true })).text());
    const calls = chunks
      .flatMap((each) => each.choices as unknown as Choice[])
      .flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ id: "call_1", function: { name: "mail" } });
    expect(calls.map(({ function: called }) => called.arguments ?? "").join("")).toBe('{"to":"[EMAIL]"}');
  });

  test("end a blocked stream with the refusal and send no part of the match", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: guardrails(words("post_call", always)) });
    const pieces = ["a fine beginning ".repeat(5), "and now sword", "fish", " and more words to come"];
    const gate = Promise.withResolvers<void>();
    upstreams.alpha.streams(chatFrames({ ...usual, pieces }), {
      beforeFrame: (index) => (index === 3 ? gate.promise : undefined),
    });
    const reader = await readerOf(gateway.chat({ model: "alpha", stream: true }));
    await waitFor("the beginning", () => reader.text.includes("a fine beginning"));
    gate.resolve();
    await reader.done;
    expect(reader.text).not.toContain("sword");
    expect(chunksOf(reader.text)).toMatchObject({ isDone: false, error: { code: "guardrail_blocked" } });
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records).toMatchObject([{ status: "failure" }]);
    expect(gateway.records[0]?.usage.outputTokens).toBeGreaterThan(0);
  });

  test("refuse a stream blocked at its start with status 400, without retry or fallback", async ({
    start,
    upstreams,
  }) => {
    const yaml = `${guardrails(words("post_call", always))}router_settings: {num_retries: 2, fallbacks: [{alpha: [beta]}]}`;
    const gateway = await start({ yaml });
    upstreams.alpha.streams(chatFrames({ ...usual, pieces: ["swordfish"] }));
    const answer = await gateway.chat({ model: "alpha", stream: true });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "guardrail_blocked" });
    expect([upstreams.alpha.requests.length, upstreams.beta.requests.length]).toEqual([1, 0]);
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records).toHaveLength(1);
  });
});

interface Choice {
  readonly delta: {
    readonly content?: string;
    readonly tool_calls?: readonly { readonly function: { readonly arguments?: string } }[];
  };
  readonly finish_reason: string | null;
}
