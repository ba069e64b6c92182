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

/** Maps a mode from the settings to a catalog type. Defaults to chat. */
export function modelTypeOf(mode: string | null): PublicModel["type"] {
  return (mode === null ? undefined : typesByMode[mode]) ?? "chat";
}
