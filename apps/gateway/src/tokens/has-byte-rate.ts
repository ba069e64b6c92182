/** Base64 characters to decode, which suffices for the format chunk of a WAV file. */
const HEAD_CHARACTERS = 64;
const BASE64 = /^[\w+/-]*={0,2}$/;
/** Flag in the header of an MP3 tag. */
const FOOTER = 0x10;
/** Minimum byte rate of a recording whose tokens are estimated by its size. MP3's lowest rate is 8 kbit/s. */
const MIN_BYTES_PER_SECOND = 1_000;
/** WAV formats whose byte rate follows from their header: integer samples, and floating-point samples. */
const PLAIN_FORMATS: ReadonlySet<number> = new Set([1, 3]);

/**
 * Reports whether a recording in base64 has a known minimum byte rate. MP3 has one, and uncompressed WAV does at usual
 * sample rates. In all other formats, minutes of silence can take a few bytes.
 */
export function hasByteRate(data: string): boolean {
  // A decoder may skip other characters, and then reads other bytes than the ones that are checked here.
  if (!BASE64.test(data)) return false;
  const head = Buffer.from(data.slice(0, HEAD_CHARACTERS), "base64");
  return isMp3(data, head) || isPlainWav(head);
}

function isMp3(data: string, head: Buffer): boolean {
  if (head.toString("latin1", 0, 3) !== "ID3") return isLayerThree(head);
  // A tag with a footer is ten bytes longer than its size.
  if (head.length < 10 || ((head[5] as number) & FOOTER) !== 0) return false;
  const start = 10 + head.subarray(6, 10).reduce((size, byte) => (size << 7) | (byte & 0x7f), 0);
  const from = start - (start % 3);
  return isLayerThree(Buffer.from(data.slice((from / 3) * 4, (from / 3) * 4 + 8), "base64").subarray(start - from));
}

/** Reports whether these bytes are the header of an MPEG layer III frame with a bitrate. */
function isLayerThree(frame: Buffer): boolean {
  if (frame.length < 3 || frame[0] !== 0xff) return false;
  const [, second = 0, third = 0] = frame;
  const isVersion = (second & 0x18) !== 0x08;
  const hasBitrate = third >> 4 !== 0 && third >> 4 !== 15;
  return (second & 0xe6) === 0xe2 && isVersion && hasBitrate;
}

function isPlainWav(head: Buffer): boolean {
  if (head.length < 36 || head.toString("latin1", 0, 4) !== "RIFF") return false;
  if (head.toString("latin1", 8, 16) !== "WAVEfmt " || !PLAIN_FORMATS.has(head.readUInt16LE(20))) return false;
  const bytesPerSecond = (head.readUInt16LE(22) * head.readUInt32LE(24) * head.readUInt16LE(34)) / 8;
  return bytesPerSecond >= MIN_BYTES_PER_SECOND;
}
