import type { OperationName } from "../call/operation-traits.ts";

const operationsByMode: Readonly<Record<string, OperationName>> = {
  chat: "chat.completions",
  completion: "completions",
  embedding: "embeddings",
  moderation: "moderations",
  audio_speech: "audio.speech",
  audio_transcription: "audio.transcriptions",
  image_generation: "images.generations",
  rerank: "rerank",
  responses: "responses",
};

/** Returns a model's main operation. */
export function operationOfMode(mode: string | null): OperationName {
  return operationsByMode[mode ?? "chat"] ?? "chat.completions";
}
