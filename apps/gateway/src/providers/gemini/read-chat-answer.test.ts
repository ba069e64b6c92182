import { Failure } from "@tollgate/contracts/failures.ts";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { recorded } from "./gemini-answers.fixture.ts";
import { readChatAnswer } from "./read-chat-answer.ts";

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

function read(answer: unknown, fields: object = {}) {
  const call = makeChatCall({ text: JSON.stringify({ model: "x", messages: [], ...fields }), shownName: "naïve" });
  const { text, usage } = readChatAnswer(call, latin1(typeof answer === "string" ? answer : JSON.stringify(answer)));
  return { answer: JSON.parse(Buffer.from(text, "latin1").toString("utf8")), usage };
}
const messageOf = (answer: unknown, fields?: object) => read(answer, fields).answer.choices[0].message;

function failureOf(answer: unknown): Failure {
  try {
    read(answer);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

describe("Gemini chat response", () => {
  test("becomes a chat completion with the caller's model name", () => {
    const { answer, usage } = read(recorded.text);
    expect(answer).toEqual({
      id: "chatcmpl-mAitaLmkHPPlz7IPvtfUqQ4",
      object: "chat.completion",
      created: expect.any(Number),
      model: "naïve",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Grüße, 世界 😀", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 5,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 0, text_tokens: 7 },
        completion_tokens_details: { reasoning_tokens: 0, text_tokens: 5 },
      },
    });
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 5, source: "reported" });
  });

  test("has a unique ID for each tool call and includes thought signatures", () => {
    const { answer } = read(recorded.calls);
    expect(answer.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    expect(answer.choices[0].message.tool_calls).toEqual([
      {
        id: "call_callsAnswer_0",
        type: "function",
        function: { name: "weather", arguments: '{"city":"Zürich"}' },
        extra_content: { google: { thought_signature: "c2lnbmF0dXJl" } },
      },
      { id: "call_callsAnswer_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } },
    ]);
  });

  test("has function_call if the request used legacy functions", () => {
    const { answer } = read(recorded.calls, { functions: [{ name: "weather" }] });
    expect(answer.choices[0].finish_reason).toBe("function_call");
    expect(answer.choices[0].message).toEqual({
      role: "assistant",
      content: null,
      refusal: null,
      function_call: { name: "weather", arguments: '{"city":"Zürich"}' },
    });
  });

  test("separates reasoning from content", () => {
    expect(messageOf(recorded.thoughts)).toEqual({
      role: "assistant",
      content: "Forty-two.",
      refusal: null,
      reasoning_content: "First the facts.",
      extra_content: { google: { thought_signature: "dGhvdWdodA==" } },
    });
  });

  test("includes images and audio", () => {
    expect(messageOf(recorded.picture)).toMatchObject({
      content: "Here.",
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0K" } }],
    });
    const parts = [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: "AAAA" } }];
    expect(messageOf({ candidates: [{ content: { parts }, finishReason: "STOP" }] })).toMatchObject({
      content: null,
      audio: { id: expect.any(String), data: "AAAA", transcript: "", expires_at: expect.any(Number) },
    });
  });

  test("has citation positions in characters instead of bytes", () => {
    const { content, annotations } = messageOf(recorded.grounded);
    const cited = annotations.map(({ url_citation: { start_index, end_index, url, title } }: never) => ({
      text: content.slice(start_index, end_index),
      url,
      title,
    }));
    const source = { url: "https://example.com/zurich", title: "example.com" };
    expect(cited).toEqual([
      { text: "Zürich is a city.", ...source },
      { text: "It is old.", ...source },
    ]);
  });

  test("includes logprobs", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "é", tokenId: 1, logProbability: -0.1 }],
      topCandidates: [
        {
          candidates: [
            { token: "é", logProbability: -0.1 },
            { token: "e", logProbability: -2 },
          ],
        },
      ],
    };
    const { answer } = read({
      candidates: [{ content: { parts: [{ text: "é" }] }, finishReason: "STOP", logprobsResult }],
    });
    const token = { token: "é", logprob: -0.1, bytes: [195, 169] };
    expect(answer.choices[0].logprobs).toEqual({
      content: [{ ...token, top_logprobs: [token, { token: "e", logprob: -2, bytes: [101] }] }],
      refusal: null,
    });
  });

  test("has one choice per candidate", () => {
    const candidates = ["a", "b"].map((text, index) => ({
      index,
      content: { parts: [{ text }] },
      finishReason: "STOP",
    }));
    const { answer } = read({ candidates });
    expect(
      answer.choices.map(({ index, message }: never) => [index, (message as { content: string }).content]),
    ).toEqual([
      [0, "a"],
      [1, "b"],
    ]);
    expect(answer.id).toMatch(/^chatcmpl-.{8,}/);
    expect(answer).not.toHaveProperty("usage");
  });

  test.for([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["SPII", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "stop"],
    ["SOMETHING_NEW", "stop"],
  ])("with finish reason %s becomes %s", ([reason, expected]) => {
    const { answer } = read({ candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: reason }] });
    expect(answer.choices[0].finish_reason).toBe(expected);
  });

  test("has empty content instead of a failure if the model reached the token limit before any output", () => {
    const { answer } = read({ candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }] });
    expect(answer.choices[0]).toMatchObject({ message: { content: "" }, finish_reason: "length" });
  });
});

describe("unusable Gemini chat response", () => {
  test("fails with content_filter if the prompt was blocked", () => {
    expect(failureOf(recorded.blocked)).toMatchObject({
      code: "content_filter",
      facts: { providerFields: { block_reason: "PROHIBITED_CONTENT" } },
    });
  });

  test("fails with bad_gateway if the model wrote a malformed function call", () => {
    const failure = failureOf({ candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] });
    expect(failure.code).toBe("bad_gateway");
  });

  test.for(["", "{", "[]", "null", '"text"', "{}", '{"candidates":[]}'])(
    "fails with bad_gateway for the body %j",
    (text) => {
      expect(failureOf(text).code).toBe("bad_gateway");
    },
  );
});
