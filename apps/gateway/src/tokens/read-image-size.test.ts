import fc from "fast-check";
import { expect, test } from "vitest";
import { readImageSize } from "./read-image-size.ts";

const dataUrl = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString("base64")}`;

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from("GIF89a\0\0\0\0", "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** Returns a JPEG of this size with a preview before the image, as written by cameras. */
function jpeg(width: number, height: number): Buffer {
  const preview = Buffer.alloc(60_000, 0x41);
  preview.writeUInt16BE(0xffe1, 0);
  preview.writeUInt16BE(preview.length - 2, 2);
  const frame = Buffer.from([0xff, 0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3, 0, 0]);
  frame.writeUInt16BE(height, 6);
  frame.writeUInt16BE(width, 8);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), preview, frame]);
}

function webp(form: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.write("RIFF", 0, "latin1");
  bytes.write(`WEBP${form}`, 8, "latin1");
  if (form === "VP8 ") {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (form === "VP8L") bytes.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
}

const side = fc.integer({ min: 1, max: 8_191 });

test("reads the size of JPEG, GIF, and all three WebP formats", () => {
  fc.assert(
    fc.property(side, side, (width, height) => {
      const size = { width, height };
      expect(readImageSize(dataUrl("gif", gif(width, height)))).toEqual(size);
      expect(readImageSize(dataUrl("jpeg", jpeg(width, height)))).toEqual(size);
      for (const form of ["VP8 ", "VP8L", "VP8X"] as const) {
        expect(readImageSize(dataUrl("webp", webp(form, width, height))), form).toEqual(size);
      }
    }),
    { numRuns: 30 },
  );
});

test("returns no size for remote URLs, invalid data, and truncated images", () => {
  expect(readImageSize("https://elsewhere.example/a.png")).toBeNull();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      expect(readImageSize(dataUrl("png", Buffer.concat([Buffer.from("??"), noise])))).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_010 }), (end) => {
      expect(readImageSize(dataUrl("jpeg", jpeg(100, 100).subarray(0, end)))).toBeNull();
    }),
    { numRuns: 30 },
  );
});
