import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashApiKey, isWellFormedKey, makeApiKey, maskKey } from "./api-keys.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const apiKey = fc.array(fc.nat(61), { minLength: 42, maxLength: 42 }).map((indexes) => {
  const queue = [...indexes];
  return makeApiKey(() => queue.shift() as number);
});

test("a new key has the documented format and a valid checksum", () => {
  fc.assert(
    fc.property(apiKey, (key) => {
      expect(key).toMatch(/^sk-tg-[0-9A-Za-z]{48}$/);
      expect(isWellFormedKey(key)).toBe(true);
    }),
  );
});

test("new keys are unique", () => {
  expect(new Set(Array.from({ length: 500 }, () => makeApiKey())).size).toBe(500);
});

test("the checksum detects every change to a single character", () => {
  const key = makeApiKey();
  for (let position = "sk-tg-".length; position < key.length; position += 1) {
    for (const character of BASE62) {
      if (character === key[position]) continue;
      const changed = key.slice(0, position) + character + key.slice(position + 1);
      expect(isWellFormedKey(changed), changed).toBe(false);
    }
  }
});

test("the checksum detects every swap of two adjacent characters", () => {
  fc.assert(
    fc.property(apiKey, fc.integer({ min: 6, max: 52 }), (key, position) => {
      fc.pre(key[position] !== key[position + 1]);
      const swapped = `${key.slice(0, position)}${key[position + 1]}${key[position]}${key.slice(position + 2)}`;
      expect(isWellFormedKey(swapped)).toBe(false);
    }),
  );
});

test.for([
  ["a character short", (key: string) => key.slice(0, -1)],
  ["a character long", (key: string) => `${key}0`],
  ["without its prefix", (key: string) => key.slice(3)],
  ["in upper case", (key: string) => key.toUpperCase()],
] as const)("a platform key %s is rejected without a lookup", ([, change]) => {
  expect(isWellFormedKey(change(makeApiKey()))).toBe(false);
});

test.for([
  ["sk-1234", true],
  ["sk-", true],
  [`sk-${"x".repeat(253)}`, true],
  [`sk-${"x".repeat(254)}`, false],
  ["eyJhbGciOiJFZERTQSJ9.e30.c2ln", false],
  ["pk-1234", false],
  ["", false],
] as const)("an imported key %s is well-formed: %s", ([key, isPossible]) => {
  expect(isWellFormedKey(key)).toBe(isPossible);
});

test("the stored value is the SHA-256 of the key, and the displayed value cannot be used as a key", () => {
  const key = makeApiKey();
  expect(hashApiKey(key)).toEqual(createHash("sha256").update(key).digest());
  expect(maskKey(key.slice(0, 8), key.slice(-4))).toBe(`${key.slice(0, 8)}…${key.slice(-4)}`);
});
