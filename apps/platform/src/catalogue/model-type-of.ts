import type { PublicModel } from "@tollgate/contracts/management/model.ts";

const typesByMode: Readonly<Record<string, PublicModel["type"]>> = {
  completion: "completion",
  embedding: "embedding",
  image_generation: "image",
  moderation: "moderation",
  audio_speech: "speech",
  audio_transcription: "transcription",
  rerank: "rerank",
};

/** The catalogue's type of a model, by the mode that settings give it. Whatever has none is for chats. */
export function modelTypeOf(mode: string | null): PublicModel["type"] {
  return (mode === null ? undefined : typesByMode[mode]) ?? "chat";
}
