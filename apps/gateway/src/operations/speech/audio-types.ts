import type { AudioFormat } from "@tollgate/contracts/speech/speech-request.ts";

/** The media type of each audio format. */
export const audioTypes: Readonly<Record<AudioFormat, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};
