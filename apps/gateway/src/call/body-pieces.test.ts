import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BodyPieces, PieceCollector } from "./body-pieces.ts";

const KIB = 1024;
const chunk = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  // Around the memory of a piece, and of one read.
  fc.integer({ min: 15 * KIB, max: 17 * KIB }).map((length) => new Uint8Array(length).fill(length % 251)),
  fc.integer({ min: 63 * KIB, max: 65 * KIB }).map((length) => new Uint8Array(length).fill(length % 241)),
);
const chunks = fc.array(chunk, { maxLength: 12 });

/** Collects chunks from one memory, which is overwritten after each of them, like that of a connection. */
function collect(parts: readonly Uint8Array[]): BodyPieces {
  const memory = Buffer.alloc(65 * KIB);
  const collector = new PieceCollector();
  for (const part of parts) {
    memory.set(part);
    collector.add(memory.subarray(0, part.length));
    memory.fill(0);
  }
  return collector.take();
}

describe("a body in pieces", () => {
  test("has the bytes of all chunks, which were valid only when they were added", () => {
    fc.assert(
      fc.property(chunks, (parts) => {
        const collected = collect(parts);
        expect(collected.join().equals(Buffer.concat(parts))).toBe(true);
        expect(collected.length).toBe(Buffer.concat(parts).length);
        expect(collected.pieces.every(({ length }) => length > 0)).toBe(true);
      }),
    );
  });

  test("has few pieces even if it arrived in small chunks", () => {
    const parts = Array.from({ length: 10_000 }, () => Buffer.from("abc"));
    expect(collect(parts).pieces.length).toBe(2);
  });

  test("has the same beginning, ending, and replacement as one piece", () => {
    const positions = fc.tuple(fc.nat(70_000), fc.nat(70_000), fc.nat(5_000));
    fc.assert(
      fc.property(chunks, positions, fc.uint8Array({ maxLength: 20 }), (parts, [one, other, length], bytes) => {
        const collected = collect(parts);
        const text = Buffer.concat(parts).toString("latin1");
        expect(collected.beginning(length) === text.slice(0, length)).toBe(true);
        expect(collected.ending(length) === text.slice(Math.max(0, text.length - length))).toBe(true);
        const [start, end] = [one, other].map((at) => Math.min(at, text.length)).sort((a, b) => a - b) as [
          number,
          number,
        ];
        const replaced = collected.replace(start, end, Buffer.from(bytes));
        const expected = text.slice(0, start) + Buffer.from(bytes).toString("latin1") + text.slice(end);
        expect(replaced.toString("latin1") === expected).toBe(true);
        expect(replaced.length).toBe(expected.length);
        expect(collected.toString("latin1") === text).toBe(true);
      }),
    );
  });

  test("is not copied if it is one piece", () => {
    const bytes = Buffer.from("abc");
    expect(new BodyPieces([bytes]).join()).toBe(bytes);
  });
});
