import type { AudioFormat } from "@tollgate/contracts/speech/speech-request.ts";

/** Duration of an audio token. Models that bill audio by token create 1,250 tokens per minute. */
export const MS_PER_SPOKEN_TOKEN = 48;

/** Byte rate of uncompressed audio: 24,000 samples per second, two bytes each. */
const PLAIN_BYTES_PER_SECOND = 48_000;
const WAV_HEADER_BYTES = 44;

/**
 * Bytes per second of speech. The value for uncompressed audio is exact. All other values are typical bitrates: 128
 * kbit/s for MP3 and AAC, 32 kbit/s for Opus, and a bit more than half of the uncompressed rate for FLAC.
 */
const bytesPerSecond: Readonly<Record<AudioFormat, number>> = {
  pcm: PLAIN_BYTES_PER_SECOND,
  wav: PLAIN_BYTES_PER_SECOND,
  mp3: 16_000,
  aac: 16_000,
  opus: 4_000,
  flac: 28_000,
};

/** Estimates the tokens for this amount of audio. */
export function spokenTokens(format: AudioFormat, bytes: number): number {
  const sound = format === "wav" ? Math.max(0, bytes - WAV_HEADER_BYTES) : bytes;
  return Math.ceil(((sound / bytesPerSecond[format]) * 1_000) / MS_PER_SPOKEN_TOKEN);
}
