import fc from "fast-check";
import { expect, test } from "vitest";
import { CanaryFinder } from "./find-canaries.ts";

const secret = "Pw 0123456789abcdef0123456789abcdef !";
const detector = new CanaryFinder({ password: secret, other: "another-secret-of-some-length" });

test("finds a canary in every encoding, at any position", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const around = (text: string) => Buffer.from(before + text + after);
      expect(detector.find(around(secret))).toEqual(["password (plain)"]);
      expect(detector.find(around(Buffer.from(secret).toString("hex")))).toEqual(["password (hex)"]);
      expect(detector.find(around(encodeURIComponent(secret)))).toEqual(["password (percent-encoded)"]);
      expect(detector.find(Buffer.from(around(secret).toString("base64")))).toEqual(["password (base64)"]);
    }),
  );
});

test("finds nothing in clean text, and ignores canaries that are allowed there", () => {
  expect(detector.find(Buffer.from("Pw 0123 and so on"))).toEqual([]);
  expect(detector.find(Buffer.from(secret), ["password"])).toEqual([]);
});
