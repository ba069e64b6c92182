import type { HubModel } from "../../api/hub-model.ts";

interface SampleCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly fileName?: string;
}

const samples: Readonly<Record<string, (model: string) => SampleCall>> = {
  chat: (model) => ({
    path: "chat/completions",
    body: { model, messages: [{ role: "user", content: "Say hello in one short sentence." }] },
  }),
  completion: (model) => ({ path: "completions", body: { model, prompt: "Once upon a time" } }),
  embedding: (model) => ({ path: "embeddings", body: { model, input: "A sentence to embed." } }),
  moderation: (model) => ({ path: "moderations", body: { model, input: "A sentence to check." } }),
  audio_speech: (model) => ({ path: "audio/speech", body: { model, input: "Hello there.", voice: "alloy" } }),
  audio_transcription: (model) => ({ path: "audio/transcriptions", body: { model }, fileName: "speech.mp3" }),
  image_generation: (model) => ({ path: "images/generations", body: { model, prompt: "A toll gate at dawn", n: 1 } }),
};

/** Returns a small sample request for the model's mode; null if the gateway has no operation for it. */
export function sampleCall({ id, mode, pattern }: HubModel): SampleCall | null {
  return samples[mode]?.(pattern?.examples[0] ?? id) ?? null;
}
