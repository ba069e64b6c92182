import fc from "fast-check";
import { expect, test } from "vitest";
import { findPasswordProblem, normalizePassword } from "./check-password.ts";
import { commonPasswords } from "./common-passwords.ts";

const owner = { email: "ada.lovelace@example.org", name: "Ada Lovelace King" };
const problemOf = (password: string, minLength = 10) => findPasswordProblem(password, owner, minLength);

test("accepts any password of the right length that is not easy to guess", () => {
  for (const password of [
    "tr0ub4dor&3x",
    "violets in the rain",
    "пароль-длинный",
    "🦩🌵🧭🪐🦩🌵🧭🪐🦩🦩",
    `${"a".repeat(3)}bcxyz-pq`,
  ]) {
    expect(problemOf(password)).toBeNull();
  }
});

test("counts characters after Unicode normalization", () => {
  expect(problemOf("🦩🌵🧭🪐🐙🦜🌊🔭🎻")).toContain("at least 10");
  expect(problemOf("🦩🌵🧭🪐🐙🦜🌊🔭🎻🎲")).toBeNull();
  // This password has ten code units, but five characters after normalization.
  expect(problemOf("e\u0301u\u0308n\u0303a\u030ao\u0308")).toContain("at least 10");
  const varied = Array.from({ length: 128 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 37) % 997))).join(
    "",
  );
  expect(problemOf(varied)).toBeNull();
  expect(problemOf(`${varied}x`)).toContain("at most 128");
});

test("normalizes equivalent spellings to the same password", () => {
  expect(normalizePassword("e\u0301cole ﬁn")).toBe(normalizePassword("école fin"));
});

test("rejects the owner's email address or name in any spelling", () => {
  for (const password of [
    "ada.lovelace@example.org",
    "ADA.LOVELACE@EXAMPLE.ORG",
    "ada.lovelace",
    "Ada lovelace KING",
  ]) {
    expect(problemOf(password)).toContain("your email address or name");
  }
});

test.for([
  "password1234",
  "Password2026!",
  "Qwertyuiop",
  "1q2w3e4r5t",
  "administrator",
  "letmein123!!",
  "iloveyou2024",
  "correct horse battery staple",
])("rejects %s as common", (password) => {
  expect(problemOf(password)).toContain("too common");
});

test.for(["aaaaaaaaaaaa", "ababababababab", "abcdefghijkl", "1234567890", "9876543210", "0123456789", "111222333111"])(
  "rejects %s as a simple sequence",
  (password) => {
    expect(problemOf(password)).toContain("simple sequence");
  },
);

test("the list has more than 500 common passwords, in normalized spelling", () => {
  expect(commonPasswords.size).toBeGreaterThan(500);
  for (const password of commonPasswords) expect(password).toBe(password.trim().toLowerCase());
});

test("rejects every password that is too short, and states the minimum length", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 7 }),
      fc.integer({ min: 8, max: 64 }),
      (password, minLength) => {
        fc.pre(Array.from(normalizePassword(password)).length < minLength);
        expect(problemOf(password, minLength)).toBe(`must have at least ${minLength} characters`);
      },
    ),
  );
});
