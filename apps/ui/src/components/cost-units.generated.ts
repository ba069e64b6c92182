// Generated from packages/domain/src/pricing/billing-units.ts by bin/pnpm generate. Do not edit.
export const costUnits = {
  input: { label: "Input", part: "input" },
  cached_input: { label: "Cached input", part: "cached" },
  cache_write: { label: "Cache write", part: "other" },
  output: { label: "Output", part: "output" },
  reasoning: { label: "Reasoning", part: "output" },
  audio_input: { label: "Audio input", part: "input" },
  audio_output: { label: "Audio output", part: "output" },
  character: { label: "Characters", part: "other" },
  audio_second: { label: "Audio seconds", part: "other" },
  image: { label: "Images", part: "other" },
  search: { label: "Searches", part: "other" },
} as const;
