import type { Mode, Model } from "./model.ts";

/** Modes that bill only input. */
const MODES_WITHOUT_OUTPUT: ReadonlySet<Mode> = new Set(["embedding", "moderation", "rerank"]);

/**
 * Chat models that, according to their providers' documentation, neither reason nor generate audio or images. These
 * families are listed by name because sources often omit capabilities, so a capability missing from the catalog doesn't
 * mean that the model lacks it. GPT-4o and GPT-4.1 are not listed: they accept `prediction` and bill rejected
 * prediction tokens.
 */
const FAMILIES_WITHOUT_HIDDEN_TOKENS: readonly RegExp[] = [
  /^openai\/gpt-3\.5-turbo/,
  /^openai\/gpt-4(-\d{4}|-turbo|-32k)?(-|$)/,
  /^anthropic\/claude-3-(haiku|sonnet|opus|5-haiku|5-sonnet)/,
];

/**
 * Reports whether a model may bill output tokens that its response does not show: reasoning, audio, or images. Returns
 * null if the catalog has no data.
 */
export function billsHiddenTokens({ id, mode, supports, prices }: Model): boolean | null {
  if (supports.includes("reasoning") || supports.includes("audio_output")) return true;
  if (prices.outputReasoning !== undefined || prices.outputAudio !== undefined) return true;
  if (mode === "image_generation" || mode === "audio_speech") return true;
  if (MODES_WITHOUT_OUTPUT.has(mode)) return false;
  return FAMILIES_WITHOUT_HIDDEN_TOKENS.some((family) => family.test(id)) ? false : null;
}
