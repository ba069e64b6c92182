import fc from "fast-check";
import { expect, test } from "vitest";
import { countText } from "./count-text.ts";
import { OutputMeter } from "./output-meter.ts";

const asInFrames = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1), "utf8").toString("latin1");

test("returns the same count for text that arrives in pieces as for the whole text", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 20 }), (pieces) => {
      const meter = new OutputMeter((sent, found) => found(sent));
      for (const piece of pieces) meter.add(asInFrames(piece));
      expect(meter.count()).toBe(countText(pieces.join("").toWellFormed()));
    }),
  );
});

test("is accurate to within two percent even though checkpoints release the counted text", () => {
  const words = "Every toll that is taken at the gate is written down before the traveller is let through. ".repeat(
    200,
  );
  const meter = new OutputMeter((sent, found) => found(sent));
  for (const piece of words.match(/.{1,7}/gs) ?? []) {
    meter.add(asInFrames(piece));
    meter.checkpoint();
  }
  const exact = countText(words);
  expect(Math.abs(meter.count() - exact)).toBeLessThanOrEqual(exact * 0.02);
});

test("counts one token for one-token text and zero tokens before any text", () => {
  const meter = new OutputMeter((sent, found) => found(sent));
  expect(meter.count()).toBe(0);
  meter.add("a");
  expect(meter.count()).toBe(1);
});

test("does not stall on a very long word", () => {
  const before = process.threadCpuUsage();
  for (const text of ["x".repeat(1_000_000), " ".repeat(1_000_000), "1".repeat(200_000)]) {
    expect(countText(text)).toBeGreaterThan(1_000);
  }
  expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
});

test("bounds memory and time for a long stream and is accurate to within two percent", () => {
  const piece = "Every toll that is taken is written down. ".repeat(1_000);
  const meter = new OutputMeter((sent, found) => found(sent));
  const before = process.threadCpuUsage();
  for (let index = 0; index < 500; index += 1) meter.add(piece);
  const counted = meter.count();
  expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
  const exact = countText(piece) * 500;
  expect(Math.abs(counted - exact)).toBeLessThanOrEqual(exact * 0.02);
  expect(meter.sentBytes).toBe(piece.length * 500);
});
