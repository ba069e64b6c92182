import { Secret } from "@tollgate/domain/secret.ts";
import type { UpstreamTarget } from "../../call/provider.ts";
import { gemini } from "./gemini.ts";

/** Returns the target for calls in these tests. */
export function geminiTarget(upstreamModel = "gemini-2.5-flash"): UpstreamTarget {
  const settings = { upstreamModel, apiKey: new Secret("AIza-some-key"), apiVersion: null, options: {} };
  return { ...settings, prepared: gemini.prepare(settings) };
}

/** Responses in formats that the Gemini API has used. */
export const recorded = {
  text: {
    candidates: [
      {
        content: { parts: [{ text: "Grüße, 世界 😀" }], role: "model" },
        finishReason: "STOP",
        avgLogprobs: -0.12,
      },
    ],
    usageMetadata: {
      promptTokenCount: 7,
      candidatesTokenCount: 5,
      totalTokenCount: 12,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 7 }],
      candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 5 }],
    },
    modelVersion: "gemini-2.5-flash",
    responseId: "mAitaLmkHPPlz7IPvtfUqQ4",
  },
  calls: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            { functionCall: { name: "weather", args: { city: "Zürich" } }, thoughtSignature: "c2lnbmF0dXJl" },
            { functionCall: { name: "weather", args: { city: "Bern" } } },
          ],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 60, candidatesTokenCount: 20, thoughtsTokenCount: 44, totalTokenCount: 124 },
    responseId: "callsAnswer",
  },
  thoughts: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            { text: "First the facts.", thought: true },
            { text: "Forty-two.", thoughtSignature: "dGhvdWdodA==" },
          ],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 1_200,
      cachedContentTokenCount: 1_024,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 90,
      toolUsePromptTokenCount: 30,
      totalTokenCount: 1_324,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 1_100 },
        { modality: "AUDIO", tokenCount: 100 },
      ],
      cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 60 }],
    },
    responseId: "thoughtsAnswer",
  },
  picture: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [{ text: "Here." }, { inlineData: { mimeType: "image/png", data: "iVBORw0K" } }],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 5,
      candidatesTokenCount: 1_291,
      totalTokenCount: 1_296,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
    },
    responseId: "pictureAnswer",
  },
  grounded: {
    candidates: [
      {
        content: { role: "model", parts: [{ text: "Zürich is a city. It is old." }] },
        finishReason: "STOP",
        index: 0,
        groundingMetadata: {
          webSearchQueries: ["zürich"],
          groundingChunks: [{ web: { uri: "https://example.com/zurich", title: "example.com" } }],
          groundingSupports: [
            { segment: { endIndex: 18, text: "Zürich is a city." }, groundingChunkIndices: [0] },
            { segment: { startIndex: 19, endIndex: 29, text: "It is old." }, groundingChunkIndices: [0, 7] },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 9, totalTokenCount: 15 },
    responseId: "groundedAnswer",
  },
  blocked: {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 },
    responseId: "blockedAnswer",
  },
} as const;

/**
 * Returns frames in the format of the Gemini API. Each frame is a complete response object with only the new content.
 * Lines end with CRLF, and the stream has no closing frame.
 */
export function framesOf(answers: readonly object[]): string {
  return answers.map((answer) => `data: ${JSON.stringify(answer)}\r\n\r\n`).join("");
}

const usage = (candidates: number | undefined, thoughts = 0) => ({
  promptTokenCount: 11,
  ...(candidates !== undefined && { candidatesTokenCount: candidates }),
  ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  totalTokenCount: 11 + (candidates ?? 0) + thoughts,
});
const frame = (parts: readonly object[], more: object, counts: object, index = 0) => ({
  candidates: [{ content: { parts, role: "model" }, index, ...more }],
  usageMetadata: counts,
  modelVersion: "gemini-2.5-flash",
  responseId: "streamedAnswer",
});

export const streams = {
  text: framesOf([
    frame([{ text: "Grüße, " }], {}, usage(2)),
    frame([{ text: "世界 " }], {}, usage(4)),
    frame([{ text: "😀" }], { finishReason: "STOP" }, usage(6)),
  ]),
  thoughts: framesOf([
    frame([{ text: "**Thinking**", thought: true }], {}, usage(undefined, 30)),
    frame([{ text: "Done." }], {}, usage(2, 30)),
    frame([{ text: "", thoughtSignature: "dGhvdWdodA==" }], { finishReason: "STOP" }, usage(2, 30)),
  ]),
  calls: framesOf([
    frame([{ text: "Let me look." }], {}, usage(3)),
    frame([{ functionCall: { name: "weather", args: { city: "Zürich" } }, thoughtSignature: "c2ln" }], {}, usage(9)),
    frame([{ functionCall: { id: "own-id", name: "weather", args: {} } }], { finishReason: "STOP" }, usage(12)),
  ]),
  two: framesOf([
    { ...frame([{ text: "one" }], {}, usage(2)), candidates: [candidate("one", 0), candidate("eins", 1)] },
    { ...frame([], {}, usage(4)), candidates: [candidate("", 0, "STOP"), candidate(" zwei", 1, "MAX_TOKENS")] },
  ]),
  cut: framesOf([frame([{ text: "half of" }], {}, usage(2))]),
  broken: framesOf([frame([], { finishReason: "MALFORMED_FUNCTION_CALL" }, usage(undefined))]),
  blocked: framesOf([recorded.blocked]),
  failing: `${framesOf([frame([{ text: "half" }], {}, usage(1))])}data: ${JSON.stringify({
    error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
  })}\r\n\r\n`,
  failingPlainly: `${framesOf([frame([{ text: "half" }], {}, usage(1))])}[${JSON.stringify({
    error: { code: 429, message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED" },
  })}]\n`,
} as const;

function candidate(text: string, index: number, finishReason?: string): object {
  return { content: { parts: [{ text }], role: "model" }, index, ...(finishReason && { finishReason }) };
}
