import { expect, test } from "vitest";
import { normalizeEmail } from "./normalize-email.ts";

test("normalizes an email address to one spelling", () => {
  expect(normalizeEmail("  Ada.Lovelace+X@Example.ORG ")).toBe("ada.lovelace+x@example.org");
  expect(normalizeEmail("müller@bücher.example")).toBe("müller@bücher.example");
});

test.for([
  "",
  "ada",
  "@example.org",
  "ada@",
  "a@b@c",
  "a b@example.org",
  "a@exa mple.org",
  "a@example.org\r\nbcc: x@y.z",
  "a\u0000@example.org",
  "<a@example.org>",
  '"a,b"@example.org',
  "a@example.org,b@example.org",
  `${"a".repeat(243)}@example.org`,
])("%j is not an email address", (text) => {
  expect(normalizeEmail(text)).toBeNull();
});
