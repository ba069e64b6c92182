/** Size in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Maximum number of bytes to read. The size is near the start of an image, but photos may have a preview before it. */
const READ_BYTES = 256 * 1024;
const DATA_URL = /^data:image\/[\w.+-]+;base64,/;
const PNG_SIGNATURE = "\x89PNG\r\n\x1a\n";

/** Returns the size of an image in a data URL. Returns null if the URL isn't a data URL or the size can't be read. */
export function readImageSize(url: string): ImageSize | null {
  const prefix = DATA_URL.exec(url)?.[0];
  if (prefix === undefined) return null;
  const end = prefix.length + Math.ceil(READ_BYTES / 3) * 4;
  const bytes = Buffer.from(url.slice(prefix.length, end), "base64");
  const size = readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

function readPng(bytes: Buffer): ImageSize | null {
  if (bytes.length < 24 || bytes.toString("latin1", 0, 8) !== PNG_SIGNATURE) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageSize | null {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Reads the size of a WebP image in one of the three formats: simple, lossless, or extended. */
function readWebp(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP") {
    return null;
  }
  const form = bytes.toString("latin1", 12, 16);
  if (form === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form === "VP8L") {
    const packed = bytes.readUInt32LE(21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  return form === "VP8X" ? { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 } : null;
}

/** Reads the size of a JPEG. Skips segments up to the one that starts the image. */
function readJpeg(bytes: Buffer): ImageSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) at += 1;
    else if (beginsFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function beginsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
