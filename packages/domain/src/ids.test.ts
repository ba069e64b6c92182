import fc from "fast-check";
import { expect, test } from "vitest";
import { createUuidV7Source, crockfordToUuid, makePrefixedId, makeUuidV7, uuidToCrockford } from "./ids.ts";

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const randomPart = fc.uint8Array({ minLength: 10, maxLength: 10 });

test("an ID has the version 7 bits for any time and random part", () => {
  fc.assert(
    fc.property(time, randomPart, (nowMs, random) => void expect(makeUuidV7(nowMs, random)).toMatch(VERSION_7)),
  );
});

test("IDs sort by creation time, as text and in their short form", () => {
  fc.assert(
    fc.property(time, time, randomPart, randomPart, (one, other, random, otherRandom) => {
      fc.pre(one < other);
      const [earlier, later] = [makeUuidV7(one, random), makeUuidV7(other, otherRandom)];
      expect(earlier < later).toBe(true);
      expect(uuidToCrockford(earlier) < uuidToCrockford(later)).toBe(true);
    }),
  );
});

test("the time can be read back from an ID", () => {
  fc.assert(
    fc.property(time, (nowMs) => {
      expect(Number.parseInt(makeUuidV7(nowMs).replaceAll("-", "").slice(0, 12), 16)).toBe(nowMs);
    }),
  );
});

test("the short form has the same 128 bits in 26 unambiguous characters", () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const short = uuidToCrockford(uuid);
      expect(short).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      expect(crockfordToUuid(short)).toBe(uuid);
      expect(crockfordToUuid(short.toLowerCase())).toBe(uuid);
    }),
  );
});

test.for(["", "01J", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0000000000000000000000000U", "00000000000000000000000000 "])(
  "'%s' is not a valid short form",
  (text) => {
    expect(crockfordToUuid(text)).toBeNull();
  },
);

test("a prefixed ID contains its kind and has a fixed length", () => {
  expect(makePrefixedId("team", 0)).toMatch(/^team_0000000000[0-9A-HJKMNP-TV-Z]{16}$/);
  expect(makePrefixedId("team", Date.now())).toHaveLength("team_".length + 26);
});

test("an ID source never repeats an ID, even across its random blocks", () => {
  const next = createUuidV7Source(() => 1_700_000_000_000);
  const ids = Array.from({ length: 2_000 }, next);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(VERSION_7);
  for (const id of ids) expect(id.startsWith("018bcfe5-6800-")).toBe(true);
});
