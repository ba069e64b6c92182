import fc from "fast-check";
import { expect, test } from "vitest";
import { makeRecordId } from "./make-id.ts";

test("an ID consists of a prefix and 24 letters and digits, for any random bytes", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(255)), (bytes) => {
      const id = makeRecordId("asst", (size) => Uint8Array.from({ length: size }, () => bytes.next().value));
      expect(id).toMatch(/^asst_[0-9A-Za-z]{24}$/);
    }),
  );
});

test("every character is equally likely", () => {
  // Each round returns every byte value once. After the biased values are rejected, all characters are equally
  // frequent.
  let next = 0;
  const counts = new Map<string, number>();
  const rounds = 24;
  for (let index = 0; index < 248; index += 1) {
    const id = makeRecordId("msg", () => Uint8Array.of(next++ % 256));
    for (const character of id.slice("msg_".length)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(new Set(counts.values())).toEqual(new Set([rounds * 4]));
  expect(counts.size).toBe(62);
});
