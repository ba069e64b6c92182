import type { AudioFormat } from "@tollgate/contracts/speech/speech-request.ts";

/** Models that charge for sound by the token make 1,250 of them a minute. */
export const MS_PER_SPOKEN_TOKEN = 48;

/** 24,000 samples a second of two bytes, which is what sound that is not compressed comes in. */
const PLAIN_BYTES_PER_SECOND = 48_000;
const WAV_HEADER_BYTES = 44;

/**
 * Bytes in a second of speech. Exact for sound that is not compressed; of the others it is what speech usually comes in:
 * 128 kbit/s of MP3 and AAC, 32 of Opus, and a bit more than half of what is plain for FLAC.
 */
const bytesPerSecond: Readonly<Record<AudioFormat, number>> = {
  pcm: PLAIN_BYTES_PER_SECOND,
  wav: PLAIN_BYTES_PER_SECOND,
  mp3: 16_000,
  aac: 16_000,
  opus: 4_000,
  flac: 28_000,
};

/** About how many tokens so much sound is. */
export function spokenTokens(format: AudioFormat, bytes: number): number {
  const sound = format === "wav" ? Math.max(0, bytes - WAV_HEADER_BYTES) : bytes;
  return Math.ceil(((sound / bytesPerSecond[format]) * 1_000) / MS_PER_SPOKEN_TOKEN);
}
