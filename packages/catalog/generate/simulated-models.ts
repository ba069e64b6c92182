import type { ModelRecord } from "../src/model.ts";

const limits = { maxInputTokens: 32_768, maxOutputTokens: 4096 };
const free = { free: "simulated", prices: { input: 0, output: 0 } } as const;

/**
 * Models of the simulated provider. All of them are free except one, which demonstrates billing without a provider
 * account.
 */
export const simulatedModels: readonly ModelRecord[] = [
  { id: "sim/cut", mode: "chat", ...limits, ...free },
  { id: "sim/echo", mode: "chat", ...limits, ...free },
  { id: "sim/embed", mode: "embedding", maxInputTokens: limits.maxInputTokens, ...free },
  { id: "sim/error", mode: "chat", ...limits, ...free },
  { id: "sim/image", mode: "image_generation", ...free },
  { id: "sim/json", mode: "chat", ...limits, supports: ["response_schema"], ...free },
  { id: "sim/lorem", mode: "chat", ...limits, ...free },
  { id: "sim/moderation", mode: "moderation", maxInputTokens: limits.maxInputTokens, ...free },
  { id: "sim/paid", mode: "chat", ...limits, prices: { input: 1_000_000, output: 4_000_000 } },
  { id: "sim/rerank", mode: "rerank", maxInputTokens: limits.maxInputTokens, ...free },
  { id: "sim/slow", mode: "chat", ...limits, ...free },
  { id: "sim/speech", mode: "audio_speech", ...free },
  {
    id: "sim/tools",
    mode: "chat",
    ...limits,
    supports: ["function_calling", "parallel_function_calling", "tool_choice"],
    ...free,
  },
  { id: "sim/transcribe", mode: "audio_transcription", ...free },
  { id: "sim/vision", mode: "chat", ...limits, supports: ["vision"], ...free },
];
