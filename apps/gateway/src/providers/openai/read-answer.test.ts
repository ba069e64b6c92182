import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { findUsage, readChatAnswer, readUsageObject } from "./read-answer.ts";

const read = (text: string, displayName = "group") => {
  const answer = readChatAnswer(makeChatCall({ shownName: displayName }), Buffer.from(text, "utf8").toString("latin1"));
  return { ...answer, text: Buffer.from(answer.text, "latin1").toString("utf8") };
};

describe("OpenAI chat response", () => {
  test("has the caller's model name and is otherwise unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (content, displayName) => {
        const text = JSON.stringify(chatAnswer({ content, model: "upstream-1" }));
        expect(read(text, displayName).text).toBe(text.replace('"upstream-1"', () => JSON.stringify(displayName)));
      }),
    );
  });

  test.for(["\n", "\t", " ", ""])(
    "has the caller's model name even if the upstream's JSON has %j between tokens",
    (space) => {
      const text = `{${space}"model"${space}:${space}"upstream-1",${space}"choices":[],"usage":{"prompt_tokens":1}}`;
      expect(JSON.parse(read(text).text)).toMatchObject({ model: "group" });
    },
  );

  test("leaves model names in nested objects unchanged", () => {
    const text = '{"choices":[{"message":{"model":"upstream-1"}}],"model":"upstream-1","usage":{"prompt_tokens":1}}';
    expect(JSON.parse(read(text).text)).toMatchObject({
      choices: [{ message: { model: "upstream-1" } }],
      model: "group",
    });
  });

  test("contains the reported usage", () => {
    const { usage } = read(JSON.stringify(chatAnswer({ inputTokens: 12, outputTokens: 3 })));
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 3, source: "reported" });
  });

  test("has null usage if the usage is missing or invalid", () => {
    const { usage: _, ...bare } = chatAnswer();
    expect(read(JSON.stringify(bare)).usage).toBeNull();
    expect(read(JSON.stringify({ ...bare, usage: { prompt_tokens: -5 } })).usage).toBeNull();
  });
});

describe("malformed OpenAI chat response", () => {
  test.for([
    ["an empty body", ""],
    ["an HTML page", "<html><body>Bad gateway</body></html>"],
    ["a truncated response", JSON.stringify(chatAnswer()).slice(0, -40)],
    ["a response truncated after its usage", JSON.stringify({ choices: [], usage: { prompt_tokens: 1 } }).slice(0, -1)],
    ["HTML around a response", `<pre>${JSON.stringify(chatAnswer())}</pre>`],
    ["a list", "[]"],
    ["an object without choices", '{"object":"chat.completion"}'],
    ["an error with status 200", '{"error":{"message":"no"}}'],
  ] as const)("fails with bad_gateway: %s", ([, text]) => {
    expect(() => read(text)).toThrowError(expect.objectContaining({ code: "bad_gateway" }));
  });
});

const count = fc.nat(1_000_000);

describe("readUsageObject", () => {
  test("returns counters that don't overlap and add up to the provider's totals", () => {
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        count,
        count,
        count,
        (fresh, cached, written, plain, reasoning, received, spoken) => {
          const usage = readUsageObject(
            JSON.stringify({
              prompt_tokens: fresh + received + cached + written,
              completion_tokens: plain + spoken + reasoning,
              prompt_tokens_details: { cached_tokens: cached, cache_creation_tokens: written, audio_tokens: received },
              completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: spoken },
            }),
          );
          expect(usage).toEqual({
            ...NO_USAGE,
            inputTokens: fresh + received,
            cacheReadTokens: cached,
            cacheWriteTokens: written,
            outputTokens: plain + spoken + reasoning,
            reasoningTokens: reasoning,
            audioInputTokens: received,
            audioOutputTokens: spoken,
          });
        },
      ),
    );
  });

  test.for([
    ["no details", { prompt_tokens: 9, completion_tokens: 12 }, [9, 0, 0, 12, 0]],
    [
      "details that are null",
      { prompt_tokens: 9, completion_tokens: 12, prompt_tokens_details: null },
      [9, 0, 0, 12, 0],
    ],
    ["no output, as in embeddings", { prompt_tokens: 9 }, [9, 0, 0, 0, 0]],
    [
      "more cached tokens than prompt tokens",
      { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 10 } },
      [9, 0, 0, 1, 0],
    ],
    [
      "a negative cached count",
      { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: -1 } },
      [9, 0, 0, 1, 0],
    ],
    [
      "more reasoning tokens than output tokens",
      { prompt_tokens: 9, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
      [9, 0, 0, 1, 0],
    ],
  ] as const)("uses only the totals if the usage has %s", ([, raw, [input, read, written, output, reasoning]]) => {
    expect(readUsageObject(JSON.stringify(raw))).toEqual({
      ...NO_USAGE,
      inputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      outputTokens: output,
      reasoningTokens: reasoning,
    });
  });

  test.for([
    ["DeepSeek's cache", { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 6 }, [3, 6, 0, 1, 0]],
    ["Moonshot's cache", { prompt_tokens: 9, completion_tokens: 1, cached_tokens: 6 }, [3, 6, 0, 1, 0]],
    [
      "OpenRouter's cache writes",
      { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 6 } },
      [1, 2, 6, 1, 0],
    ],
    [
      "xAI's reasoning, which is not part of its completion count",
      {
        prompt_tokens: 9,
        completion_tokens: 1,
        total_tokens: 15,
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      [9, 0, 0, 6, 5],
    ],
    [
      "reasoning that the total shows to be part of the completion",
      {
        prompt_tokens: 9,
        completion_tokens: 6,
        total_tokens: 15,
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      [9, 0, 0, 6, 5],
    ],
    [
      "Perplexity's research, which bills citations and reasoning in addition to its total",
      { prompt_tokens: 33, completion_tokens: 7, total_tokens: 40, citation_tokens: 100, reasoning_tokens: 50 },
      [133, 0, 0, 57, 50],
    ],
  ] as const)("reads usage with %s", ([, raw, [input, read, written, output, reasoning]]) => {
    expect(readUsageObject(JSON.stringify(raw))).toEqual({
      ...NO_USAGE,
      inputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      outputTokens: output,
      reasoningTokens: reasoning,
    });
  });

  test("counts cached audio tokens as cached tokens, and ignores impossible audio counts", () => {
    const read = (prompt: object, completion: object) =>
      readUsageObject(
        JSON.stringify({
          prompt_tokens: 100,
          completion_tokens: 50,
          prompt_tokens_details: prompt,
          completion_tokens_details: completion,
        }),
      );
    const cached = { cached_tokens: 60, cached_tokens_details: { audio_tokens: 45 }, audio_tokens: 70 };
    expect(read(cached, {})).toMatchObject({ inputTokens: 40, cacheReadTokens: 60, audioInputTokens: 25 });
    expect(read({ cached_tokens: 60, audio_tokens: 70 }, {})).toMatchObject({ inputTokens: 40, audioInputTokens: 40 });
    expect(read({ audio_tokens: 101 }, { reasoning_tokens: 30, audio_tokens: 21 })).toMatchObject({
      audioInputTokens: 0,
      audioOutputTokens: 0,
    });
  });

  test.for([
    '{"prompt_tokens":-1,"completion_tokens":1}',
    '{"prompt_tokens":1,"completion_tokens":-1}',
    '{"prompt_tokens":1.5,"completion_tokens":1}',
    '{"prompt_tokens":"12","completion_tokens":1}',
    '{"prompt_tokens":1e300,"completion_tokens":1}',
    '{"prompt_tokens":1,"completion_tokens":1000000001}',
    '{"completion_tokens":1}',
    "{}",
    '{"prompt_tokens":',
  ])("returns null for the invalid usage %s", (json) => {
    expect(readUsageObject(json)).toBeNull();
  });
});

describe("findUsage", () => {
  const usage = '{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}';

  test.for([
    ["compact", `{"id":"x","usage":${usage}}`],
    ["spaced", `{"id": "x", "usage" : ${usage} }`],
    ["indented", `{\n  "id": "x",\n  "usage":\n\t${usage}\n}`],
    ["before other members", `{"usage":${usage},"id":"x"}`],
    ["with braces in its strings", `{"usage":{"prompt_tokens":9,"completion_tokens":12,"note":"}{\\""}}`],
  ] as const)("finds the usage object regardless of formatting and position: %s", ([, text]) => {
    const found = findUsage(text);
    expect(found?.usage).toMatchObject({ inputTokens: 9, outputTokens: 12 });
    expect(text.slice(found?.start, found?.end)).toMatch(/^"usage".*\}$/s);
  });

  test("ignores the word 'usage' in a message", () => {
    const content = JSON.stringify(`"usage":${usage} and "usage": {"prompt_tokens":1}`);
    expect(findUsage(`{"choices":[{"message":{"content":${content}}}]}`)).toBeNull();
    expect(findUsage('{"choices":[{"message":{"content":"usage"}}],"usage":null}')).toBeNull();
  });

  test("picks the object with token counts if another object is also named 'usage'", () => {
    const text = `{"usage":${usage},"x_vendor":{"usage":{"queue_time":0.1}}}`;
    expect(findUsage(text)?.usage).toMatchObject({ inputTokens: 9, outputTokens: 12 });
  });

  test("returns the position of an invalid usage object, so that it can be hidden", () => {
    expect(findUsage('{"usage":{"prompt_tokens":-1}}')).toMatchObject({ usage: null });
  });

  test("never throws for arbitrary text", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (before, after) => void findUsage(`${before}"usage":{${after}`)));
  });

  test("takes bounded time for hostile text", () => {
    const before = process.threadCpuUsage();
    findUsage('"usage":{'.repeat(2_000));
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

test.for([
  ["OpenRouter", '"cost":0.0012,"is_byok":false,"cost_details":{"upstream_inference_cost":0.0011}', 1_200_000n],
  ["OpenRouter, without rounding to a binary fraction", '"cost" : 1.2345678905e-3', 1_234_568n],
  [
    "OpenRouter with the operator's own key",
    '"cost":0.00006,"is_byok":true,"cost_details":{"upstream_inference_cost":0.0012}',
    1_260_000n,
  ],
  ["OpenRouter with a key whose cost is missing", '"cost":0.00006,"is_byok":true,"cost_details":{}', undefined],
  ["OpenRouter for a free model", '"cost":0', 0n],
  ["Perplexity", '"cost":{"input_tokens_cost":0.1,"request_cost":0.005,"total_cost":0.105}', 105_000_000n],
  ["xAI", '"cost_in_usd_ticks":37756005', 3_775_601n],
  ["a provider with a negative cost", '"cost":-1', undefined],
  ["a provider with an impossible cost", '"cost":1e9', undefined],
  ["a provider with a cost that isn't a number", '"cost":"1"', undefined],
] as const)("reads the cost that %s reports", ([, members, cost]) => {
  const usage = readUsageObject(`{"prompt_tokens":9,"completion_tokens":1,${members}}`);
  expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 1 });
  expect(usage?.reportedCost).toBe(cost);
});
