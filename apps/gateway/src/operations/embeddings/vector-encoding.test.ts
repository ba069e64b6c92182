import fc from "fast-check";
import { expect, test } from "vitest";
import { fromBase64, toBase64, toJsonNumbers } from "./vector-encoding.ts";

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true });

test("numbers survive a base64 round trip bit for bit", () => {
  fc.assert(
    fc.property(fc.array(float32), (vector) => {
      expect(fromBase64(toBase64(vector))).toEqual(vector);
    }),
  );
});

test("base64 survives a JSON round trip bit for bit, including the sign of zero", () => {
  fc.assert(
    fc.property(fc.array(float32), (vector) => {
      const text = toBase64(vector);
      const json = toJsonNumbers(fromBase64(text) as number[]);
      expect(toBase64(JSON.parse(json) as number[])).toBe(text);
    }),
    { examples: [[[-0, 0, 1.401298464324817e-45, 3.4028234663852886e38]]] },
  );
});

test("uses four little-endian bytes per number, and returns null if the length isn't a multiple of four", () => {
  expect(toBase64([1, -2])).toBe(Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]).toString("base64"));
  expect(fromBase64(Buffer.from([1, 2, 3]).toString("base64"))).toBeNull();
  expect(fromBase64("")).toEqual([]);
});
