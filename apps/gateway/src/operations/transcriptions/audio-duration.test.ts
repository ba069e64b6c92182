import fc from "fast-check";
import { expect, test } from "vitest";
import { makeWav } from "../../http/routes/transcription-form.fixture.ts";
import { audioDuration, largestDurationMs } from "./audio-duration.ts";

const HEAD_BYTES = 16 * 1024;
const durationOf = (file: Buffer, size = file.length) => audioDuration({ size, head: file.subarray(0, HEAD_BYTES) });

/** Returns the start of a FLAC file: one block with the sample rate, one 16-bit channel, and the number of samples. */
function makeFlac(samplesPerSecond: number, samples: number): Buffer {
  const head = Buffer.alloc(42);
  head.write("fLaC", 0, "latin1");
  head.writeUInt32BE(34, 4);
  head.writeUIntBE(samplesPerSecond << 4, 18, 3);
  head.writeUInt8(0xf0, 21);
  head.writeUInt32BE(samples, 22);
  return head;
}

/** Returns an MPEG-1 Layer III frame header with 44,100 samples per second. */
const mp3Frame = (bitrateIndex: number) => Buffer.from([0xff, 0xfb, bitrateIndex << 4, 0xc0]);

test("computes the exact WAV duration, even with extra chunks or an invalid size in the header", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), fc.nat(64), (tenths, extra) => {
      const wav = makeWav(tenths / 10);
      const more = Buffer.concat([
        Buffer.from("LIST"),
        Buffer.from([extra, 0, 0, 0]),
        Buffer.alloc(extra + (extra % 2)),
      ]);
      const longer = Buffer.concat([wav.subarray(0, 36), more, wav.subarray(36)]);
      // Audio that was written to a pipe has no valid size in its header.
      longer.writeUInt32LE(0xffffffff, 36 + more.length + 4);
      expect(durationOf(longer)).toEqual({ usualMs: tenths * 100, mostMs: tenths * 100 });
    }),
  );
});

test("reads the FLAC duration from the header, unless it is implausible for the file size", () => {
  expect(durationOf(makeFlac(44_100, 441_000), 500_000)).toEqual({ usualMs: 10_000, mostMs: 10_000 });
  // One second of this audio takes 88,200 bytes uncompressed, so these sample counts don't match the file size.
  for (const samples of [441, 44_100, 44_100 * 200]) {
    expect(durationOf(makeFlac(44_100, samples), 25_000_000).usualMs).toBe(6_250_000);
  }
});

test("a silent recording takes few bytes, so its header may declare a long duration", () => {
  expect(durationOf(makeFlac(8_000, 8_000 * 3_600), 100_000)).toEqual({ usualMs: 3_600_000, mostMs: 3_600_000 });
  expect(durationOf(makeFlac(8_000, 8_000 * 3_600), 1_000)).toEqual({ usualMs: 3_600_000, mostMs: 3_600_000 });
  // No recording is longer than a day, unless its size requires it.
  expect(largestDurationMs({ size: 10_000_000 })).toBe(86_400_000);
  expect(largestDurationMs({ size: 75_000_000 })).toBe(100_000_000);
});

test("computes the MP3 duration from the bitrate, or from the number of frames if the bitrate varies", () => {
  const file = Buffer.concat([mp3Frame(9), Buffer.alloc(12_000)]);
  expect(durationOf(file, 160_000)).toEqual({ usualMs: 10_000, mostMs: 10_000 });
  const tagged = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128), file]);
  expect(durationOf(tagged, 160_138).usualMs).toBe(10_000);
  const footed = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0x10, 0, 0, 1, 0]), Buffer.alloc(138), file]);
  expect(durationOf(footed, 160_148).usualMs).toBe(10_000);
  const changing = Buffer.concat([
    mp3Frame(9),
    Buffer.alloc(32),
    Buffer.from("Xing"),
    Buffer.from([0, 0, 0, 1, 0, 0, 4, 0]),
  ]);
  expect(durationOf(Buffer.concat([changing, Buffer.alloc(400)]), 300_000).usualMs).toBe(26_750);
  // Ten frames can't fill 300,000 bytes.
  changing.writeUInt32BE(10, 44);
  expect(durationOf(Buffer.concat([changing, Buffer.alloc(400)]), 300_000)).not.toMatchObject({ mostMs: 262 });
});

test("estimates the duration of other formats from the file size, and never returns a maximum below the estimate", () => {
  expect(durationOf(Buffer.from("OggS"), 40_000)).toEqual({ usualMs: 10_000, mostMs: 53_334 });
  const heads = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from("RIFF....WAVEfmt "), bytes])),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from("fLaC"), bytes])),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from([0xff, 0xfb]), bytes])),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from("ID3"), bytes])),
  );
  fc.assert(
    fc.property(heads, fc.integer({ min: 100, max: 25_000_000 }), (head, size) => {
      const { usualMs, mostMs } = audioDuration({ head, size });
      expect(Number.isInteger(usualMs) && usualMs >= 0).toBe(true);
      expect(mostMs).toBeGreaterThanOrEqual(usualMs);
    }),
    { numRuns: 500 },
  );
});
