import type { FileFacts } from "../../call/call-body.ts";

/** A recording's estimated and maximum duration in milliseconds. Both are equal if the header contains the duration. */
interface AudioDuration {
  readonly usualMs: number;
  readonly mostMs: number;
}

/** Typical and minimum byte rates of compressed speech: 32 kbit/s and 6 kbit/s. */
const DEFAULT_BYTES_PER_SECOND = 4_000;
const LEAST_BYTES_PER_SECOND = 750;
/** Maximum plausible duration of a recording that is mostly silent: one day. Hours of silence can take a few bytes. */
const MAX_SILENT_MS = 86_400_000;

/** Returns the maximum duration of a recording of this size, regardless of its header. */
export function largestDurationMs({ size }: Pick<FileFacts, "size">): number {
  return Math.max(MAX_SILENT_MS, Math.ceil((size * 1_000) / LEAST_BYTES_PER_SECOND));
}

type Sound = Pick<FileFacts, "size" | "head">;

/**
 * Returns a recording's duration. Reads it from the header of WAV, FLAC, and MP3 files, regardless of the file name.
 * Estimates it from the size for other formats and implausible headers.
 */
export function audioDuration(file: Sound): AudioDuration {
  const exactMs = wavDuration(file) ?? flacDuration(file) ?? mp3Duration(file);
  if (exactMs !== null) return { usualMs: exactMs, mostMs: exactMs };
  return {
    usualMs: Math.ceil((file.size * 1_000) / DEFAULT_BYTES_PER_SECOND),
    mostMs: Math.ceil((file.size * 1_000) / LEAST_BYTES_PER_SECOND),
  };
}

/**
 * Reports whether a recording's size bounds its duration. This is true for MP3 and for uncompressed WAV. In all other
 * formats, minutes of silence can take a few bytes.
 */
export function isBoundedBySize(file: Sound): boolean {
  return wavDuration(file) !== null || (mp3Duration(file) !== null && startsWithFrames(file));
}

/** WAV format codes for integer samples and for floating-point samples. All other formats are compressed. */
const PLAIN_FORMATS: ReadonlySet<number> = new Set([1, 3]);
/** WAV format code of the extensible header, which has the code of its samples further on. */
const EXTENSIBLE_FORMAT = 0xff_fe;

/** Computes the duration of uncompressed audio from the bytes per second in the header and the file size. */
function wavDuration({ head, size }: Sound): number | null {
  if (!hasText(head, 0, "RIFF") || !hasText(head, 8, "WAVE")) return null;
  let format = -1;
  for (let at = 12; at + 8 <= head.length; ) {
    if (hasText(head, at, "fmt ")) {
      // Decoders differ in which of two formats they use.
      if (format >= 0) return null;
      format = at + 8;
    }
    if (hasText(head, at, "data")) return format < 0 ? null : plainDuration(head, format, size - at - 8);
    const length = head.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return null;
}

function plainDuration(head: Buffer, format: number, bytes: number): number | null {
  if (format + 26 > head.length || !PLAIN_FORMATS.has(sampleFormat(head, format))) return null;
  const channels = head.readUInt16LE(format + 2);
  const samplesPerSecond = head.readUInt32LE(format + 4);
  const bits = head.readUInt16LE(format + 14);
  const isUsual = channels >= 1 && channels <= 8 && samplesPerSecond >= 8_000 && samplesPerSecond <= 192_000;
  if (!isUsual || bits < 8 || bits > 64) return null;
  return Math.ceil((bytes * 8_000) / (channels * bits * samplesPerSecond));
}

function sampleFormat(head: Buffer, format: number): number {
  const code = head.readUInt16LE(format);
  return code === EXTENSIBLE_FORMAT ? head.readUInt16LE(format + 24) : code;
}

/** Computes the FLAC duration from the total number of samples, which is in the first block. */
function flacDuration({ head, size }: Sound): number | null {
  if (!hasText(head, 0, "fLaC") || head.length < 26) return null;
  const samplesPerSecond = head.readUIntBE(18, 3) >> 4;
  const samples = ((head[21] as number) & 15) * 2 ** 32 + head.readUInt32BE(22);
  if (samples === 0 || samplesPerSecond < 8_000) return null;
  const milliseconds = Math.ceil((samples * 1_000) / samplesPerSecond);
  // A frame is never much larger than its samples, so a header with too few samples for the file size is invalid.
  const channels = (((head[20] as number) >> 1) & 7) + 1;
  const bits = ((((head[20] as number) & 1) << 4) | ((head[21] as number) >> 4)) + 1;
  const rawBytesPerSecond = (samplesPerSecond * channels * bits) / 8;
  const leastMs = Math.floor(((size - FLAC_SPARE_BYTES) * 1_000) / (rawBytesPerSecond * FLAC_EXPANSION));
  return milliseconds < leastMs || milliseconds > largestDurationMs({ size }) ? null : milliseconds;
}

/** Maximum factor by which FLAC can enlarge incompressible audio, and the space allowed for a cover image and tags. */
const FLAC_EXPANSION = 1.1;
const FLAC_SPARE_BYTES = 256 * 1024;

/** Layer III bitrates in kbit/s by index, for version 1 and for later versions. */
const MP3_KBITS = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;
const MP3_SAMPLES_PER_SECOND = [
  [44_100, 48_000, 32_000, 0],
  [22_050, 24_000, 16_000, 0],
] as const;

/**
 * Computes the MP3 duration from the bitrate or, for variable bitrates, from the number of frames. Both are in the
 * first frame.
 */
function mp3Duration({ head, size }: Sound): number | null {
  const start = firstFrame(head);
  const frame = readFrame(head, start);
  if (frame === null) return null;
  const frames = framesOf(head, start);
  if (frames === null) return Math.ceil(((size - start) * 8) / frame.kbits);
  const milliseconds = Math.ceil((frames * frame.samples * 1_000) / frame.samplesPerSecond);
  // A duration that implies more than the maximum bitrate is invalid.
  return milliseconds < Math.floor(((size - start) * 8) / 320) ? null : milliseconds;
}

/** Number of MP3 frames after which no decoder mistakes the file for another format. */
const CERTAIN_FRAMES = 8;

/** Reports whether frame follows frame. A single frame could be in front of any other format. */
function startsWithFrames({ head, size }: Sound): boolean {
  let at = firstFrame(head);
  for (let count = 0; count < CERTAIN_FRAMES && at < size; count += 1) {
    const frame = readFrame(head, at);
    if (frame === null) return false;
    at += frame.bytes;
  }
  return true;
}

function firstFrame(head: Buffer): number {
  return hasText(head, 0, "ID3") ? tagLength(head) : 0;
}

interface Mp3Frame {
  readonly kbits: number;
  readonly samplesPerSecond: number;
  readonly samples: number;
  readonly bytes: number;
}

/** Reads the header of an MP3 frame. Returns null for other layers and invalid headers. */
function readFrame(head: Buffer, start: number): Mp3Frame | null {
  if (start + 4 > head.length || head[start] !== 0xff) return null;
  const second = head[start + 1] as number;
  const version = (second >> 3) & 3;
  if ((second & 0xe6) !== 0xe2 || version === 1) return null;
  const row = version === 3 ? 0 : 1;
  const third = head[start + 2] as number;
  const kbits = MP3_KBITS[row][third >> 4] as number;
  const samplesPerSecond = (MP3_SAMPLES_PER_SECOND[row][(third >> 2) & 3] as number) / (version === 0 ? 2 : 1);
  if (kbits === 0 || samplesPerSecond === 0) return null;
  const samples = row === 0 ? 1_152 : 576;
  const padding = (third >> 1) & 1;
  return { kbits, samplesPerSecond, samples, bytes: Math.floor((samples * kbits * 125) / samplesPerSecond) + padding };
}

/** Returns the number of frames that a file with a variable bitrate declares. */
function framesOf(head: Buffer, start: number): number | null {
  const frame = head.subarray(start, start + 64);
  const at = Math.max(frame.indexOf("Xing", 0, "latin1"), frame.indexOf("Info", 0, "latin1"));
  if (at < 0 || at + 12 > frame.length) return null;
  return (frame.readUInt32BE(at + 4) & 1) === 1 ? frame.readUInt32BE(at + 8) : null;
}

/** Flag of an ID3 tag that ends with a copy of its header. */
const TAG_FOOTER = 0x10;

/** Returns the length of an ID3 tag with its header. Only seven bits of each length byte are used. */
function tagLength(head: Buffer): number {
  if (head.length < 10) return head.length;
  const length = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
  const hasFooter = ((head[5] as number) & TAG_FOOTER) !== 0;
  return length + (hasFooter ? 20 : 10);
}

function hasText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString("latin1", at, at + text.length) === text;
}
