import type { FileFacts } from "../../pipeline/body/uploaded-file.ts";

/** How long a recording is, in milliseconds: about, and at most. The two are the same where its head says it. */
export interface AudioDuration {
  readonly usualMs: number;
  readonly mostMs: number;
}

/** What a second of compressed speech usually takes, 32 kbit/s, and the least it can, 6 kbit/s. */
const DEFAULT_BYTES_PER_SECOND = 4_000;
const LEAST_BYTES_PER_SECOND = 750;

/** The longest that a recording of this size can be, whatever its head claims. */
export function largestDurationMs({ size }: Pick<FileFacts, "size">): number {
  return Math.ceil((size * 1_000) / LEAST_BYTES_PER_SECOND);
}

type Sound = Pick<FileFacts, "size" | "head">;

/**
 * Reads how long a recording is from the head of WAV, FLAC and MP3 files, whatever their name says; of everything else
 * it can only be told from the size. A head that claims what no recording has is not believed.
 */
export function audioDuration(file: Sound): AudioDuration {
  const exactMs = wavDuration(file) ?? flacDuration(file) ?? mp3Duration(file);
  if (exactMs !== null) return { usualMs: exactMs, mostMs: exactMs };
  return {
    usualMs: Math.ceil((file.size * 1_000) / DEFAULT_BYTES_PER_SECOND),
    mostMs: largestDurationMs(file),
  };
}

/** Integer samples, floating-point samples, and the extensible header of both. Other formats are compressed. */
const PLAIN_FORMATS: ReadonlySet<number> = new Set([1, 3, 0xff_fe]);

/** Sound that is not compressed takes as many bytes a second as its head says; how much there is, the size says. */
function wavDuration({ head, size }: Sound): number | null {
  if (!hasText(head, 0, "RIFF") || !hasText(head, 8, "WAVE")) return null;
  let format = -1;
  for (let at = 12; at + 8 <= head.length; ) {
    if (hasText(head, at, "fmt ")) format = at + 8;
    if (hasText(head, at, "data")) return format < 0 ? null : plainDuration(head, format, size - at - 8);
    const length = head.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return null;
}

function plainDuration(head: Buffer, format: number, bytes: number): number | null {
  if (format + 16 > head.length || !PLAIN_FORMATS.has(head.readUInt16LE(format))) return null;
  const channels = head.readUInt16LE(format + 2);
  const samplesPerSecond = head.readUInt32LE(format + 4);
  const bits = head.readUInt16LE(format + 14);
  const isUsual = channels >= 1 && channels <= 8 && samplesPerSecond >= 8_000 && samplesPerSecond <= 192_000;
  if (!isUsual || bits < 8 || bits > 64) return null;
  return Math.ceil((bytes * 8_000) / (channels * bits * samplesPerSecond));
}

/** The first block says how many samples there are in all. */
function flacDuration({ head, size }: Sound): number | null {
  if (!hasText(head, 0, "fLaC") || head.length < 26) return null;
  const samplesPerSecond = head.readUIntBE(18, 3) >> 4;
  const samples = ((head[21] as number) & 15) * 2 ** 32 + head.readUInt32BE(22);
  if (samples === 0 || samplesPerSecond < 8_000) return null;
  const milliseconds = Math.ceil((samples * 1_000) / samplesPerSecond);
  // A frame is never much larger than the samples it holds. Fewer samples than that for so many bytes are a lie.
  const channels = (((head[20] as number) >> 1) & 7) + 1;
  const bits = ((((head[20] as number) & 1) << 4) | ((head[21] as number) >> 4)) + 1;
  const rawBytesPerSecond = (samplesPerSecond * channels * bits) / 8;
  const leastMs = Math.floor(((size - FLAC_SPARE_BYTES) * 1_000) / (rawBytesPerSecond * FLAC_EXPANSION));
  return milliseconds < leastMs || milliseconds > (size * 1_000) / LEAST_BYTES_PER_SECOND ? null : milliseconds;
}

/** What frames that cannot be compressed add to their samples, and what a picture and tags may take. */
const FLAC_EXPANSION = 1.1;
const FLAC_SPARE_BYTES = 256 * 1024;

/** kbit/s of layer III by index, of version 1 and of the later ones. */
const MP3_KBITS = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;
const MP3_SAMPLES_PER_SECOND = [
  [44_100, 48_000, 32_000, 0],
  [22_050, 24_000, 16_000, 0],
] as const;

/** The first frame says how much a second takes, unless each frame differs; then it says how many frames there are. */
function mp3Duration({ head, size }: Sound): number | null {
  const start = hasText(head, 0, "ID3") ? 10 + tagLength(head) : 0;
  if (start + 4 > head.length || head[start] !== 0xff) return null;
  const second = head[start + 1] as number;
  const version = (second >> 3) & 3;
  // Layer III alone, and a version that exists.
  if ((second & 0xe6) !== 0xe2 || version === 1) return null;
  const row = version === 3 ? 0 : 1;
  const third = head[start + 2] as number;
  const kbits = MP3_KBITS[row][third >> 4] as number;
  const samplesPerSecond = (MP3_SAMPLES_PER_SECOND[row][(third >> 2) & 3] as number) / (version === 0 ? 2 : 1);
  if (kbits === 0 || samplesPerSecond === 0) return null;
  const frames = framesOf(head, start);
  if (frames === null) return Math.ceil(((size - start) * 8) / kbits);
  const milliseconds = Math.ceil((frames * (row === 0 ? 1_152 : 576) * 1_000) / samplesPerSecond);
  // No frame takes more than the highest rate there is.
  return milliseconds < Math.floor(((size - start) * 8) / 320) ? null : milliseconds;
}

/** How many frames a file of changing rates says it has. */
function framesOf(head: Buffer, start: number): number | null {
  const frame = head.subarray(start, start + 64);
  const at = Math.max(frame.indexOf("Xing", 0, "latin1"), frame.indexOf("Info", 0, "latin1"));
  if (at < 0 || at + 12 > frame.length) return null;
  return (frame.readUInt32BE(at + 4) & 1) === 1 ? frame.readUInt32BE(at + 8) : null;
}

/** Seven bits of each byte count. */
function tagLength(head: Buffer): number {
  if (head.length < 10) return head.length;
  return head.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 127), 0);
}

function hasText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString("latin1", at, at + text.length) === text;
}
