import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recorded } from "./gemini-answers.fixture.ts";
import type { GeminiUsage } from "./gemini-wire.ts";
import { countTools, publicUsage, readGeminiUsage } from "./read-usage.ts";

const count = fc.nat(2_000_000);

test("counts cached prompt tokens once, reasoning tokens as output, and tool-use prompt tokens as input", () => {
  expect(readGeminiUsage(recorded.thoughts.usageMetadata)).toMatchObject({
    inputTokens: 206,
    cacheReadTokens: 1_024,
    cacheWriteTokens: 0,
    outputTokens: 94,
    reasoningTokens: 90,
    audioInputTokens: 40,
    source: "reported",
  });
});

test("usage counters add up to the reported total and never overlap", () => {
  const counted = fc.record({ prompt: count, candidates: count, thoughts: count, tools: count, cached: fc.nat(100) });
  fc.assert(
    fc.property(
      counted,
      fc.constantFrom("apart", "thoughts", "tools", "both"),
      ({ prompt, candidates, thoughts, tools, cached }, inside) => {
        const total =
          prompt +
          candidates +
          (inside === "thoughts" || inside === "both" ? 0 : thoughts) +
          (inside === "tools" || inside === "both" ? 0 : tools);
        const raw: GeminiUsage = {
          promptTokenCount: prompt,
          candidatesTokenCount: candidates,
          thoughtsTokenCount: thoughts,
          toolUsePromptTokenCount: tools,
          cachedContentTokenCount: cached,
          totalTokenCount: total,
        };
        const usage = readGeminiUsage(raw);
        if (usage === null) throw new Error("it was not read");
        expect(usage.inputTokens + usage.cacheReadTokens + usage.outputTokens).toBe(total);
        expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.outputTokens);
        expect(Math.min(...Object.values(usage).filter((value) => typeof value === "number"))).toBeGreaterThanOrEqual(
          0,
        );
        expect(publicUsage(usage, raw)).toMatchObject({ total_tokens: total });
      },
    ),
  );
});

test("derives missing candidate tokens from the total", () => {
  const raw = { promptTokenCount: 10, thoughtsTokenCount: 30, totalTokenCount: 45 };
  expect(readGeminiUsage(raw)).toMatchObject({ inputTokens: 10, outputTokens: 35, reasoningTokens: 30 });
});

test("uses the individual counters if they can't add up to the total", () => {
  const raw = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 999 };
  expect(readGeminiUsage(raw)).toMatchObject({ inputTokens: 10, outputTokens: 12, reasoningTokens: 7 });
});

describe("invalid Gemini token count", () => {
  test.for([undefined, -1, 1.5, "7", 1e12, null])("makes usage null if the prompt count is %j", (promptTokenCount) => {
    expect(readGeminiUsage({ promptTokenCount, totalTokenCount: 5 } as GeminiUsage)).toBeNull();
  });

  test("is ignored in fields other than the prompt count", () => {
    const raw = { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: -3, totalTokenCount: "9" };
    expect(readGeminiUsage(raw as unknown as GeminiUsage)).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });
});

test("counts a response with places from Google Maps as one tool call", () => {
  const maps = { groundingMetadata: { groundingChunks: [{ web: {} }, { maps: { uri: "x" } }, { maps: {} }] } };
  expect(countTools([maps, maps], "gemini-2.5-flash")).toEqual({ webSearches: 0, toolCalls: 1 });
  const web = { groundingMetadata: { groundingChunks: [{ web: {} }], webSearchQueries: ["a", "b"] } };
  expect(countTools([web], "gemini-3-pro")).toEqual({ webSearches: 2, toolCalls: 0 });
  const raw = { promptTokenCount: 1, candidatesTokenCount: 1 };
  expect(readGeminiUsage(raw, countTools([maps, web], "gemini-3-pro"))).toMatchObject({ webSearches: 2, toolCalls: 1 });
});
