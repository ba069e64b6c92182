import { Secret } from "@tollgate/domain/secret.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const first = new Secret("the first key of these tests, long enough");
const second = new Secret("the second key of these tests, long enough");
const box = createSecretBox([first]);

test("encrypted text decrypts to the original, but only for the same purpose", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.string(), (text, purpose, other) => {
      const wellFormed = text.toWellFormed();
      const sealed = box.seal(wellFormed, purpose);
      expect(box.open(sealed, purpose)).toBe(wellFormed);
      if (other !== purpose) expect(() => box.open(sealed, other)).toThrow();
    }),
    { numRuns: 200 },
  );
});

test("encrypting the same text twice gives different results that reveal nothing about the text", () => {
  const [one, other] = [box.seal("sk-secret-credential", "x"), box.seal("sk-secret-credential", "x")];
  expect(one).not.toBe(other);
  expect(one).not.toContain(Buffer.from("sk-secret").toString("base64url"));
});

test("encrypted text does not decrypt if it was truncated or any character was changed", () => {
  const sealed = box.seal("sk-secret-credential", "x");
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = sealed.slice(0, index) + (sealed[index] === "A" ? "B" : "A") + sealed.slice(index + 1);
    expect(() => box.open(changed, "x"), `character ${index}`).toThrow();
  }
  const [version, id, iv, tag = "", content] = sealed.split(".");
  for (const bytes of [4, 8, 12, 15]) {
    const short = Buffer.from(tag, "base64url").subarray(0, bytes).toString("base64url");
    expect(() => box.open([version, id, iv, short, content].join("."), "x"), `${bytes} bytes of tag`).toThrow();
  }
  for (const text of ["", ".", "v1", "v1....", `v2${sealed.slice(2)}`]) expect(() => box.open(text, "x")).toThrow();
});

test("during a key rotation, both keys decrypt, the new key encrypts, and outdated text is detected", () => {
  const sealed = box.seal("text", "x");
  const both = createSecretBox([second, first]);
  expect(both.open(sealed, "x")).toBe("text");
  expect(both.isOutdated(sealed)).toBe(true);
  const fresh = both.seal("text", "x");
  expect(both.isOutdated(fresh)).toBe(false);
  expect(createSecretBox([second]).open(fresh, "x")).toBe("text");
  expect(() => box.open(fresh, "x")).toThrow("not configured");
});

test("rejects short keys and an empty key list", () => {
  expect(() => createSecretBox([])).toThrow();
  expect(() => createSecretBox([new Secret("x".repeat(31))])).toThrow("32 characters");
});
