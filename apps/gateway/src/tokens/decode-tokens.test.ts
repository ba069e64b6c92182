import { Failure } from "@tollgate/contracts/failures.ts";
import fc from "fast-check";
import { encode as encodeOlder } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeNewer } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { decodeTokens } from "./decode-tokens.ts";

const vocabularies = [
  ["gpt-4o-mini", encodeNewer],
  ["text-embedding-3-small", encodeOlder],
] as const;
/** Tokens for the first byte of a multibyte character and for a word, in both vocabularies. */
const HALF = 168;
const HELLO = 9906;

test("decoding restores the encoded text", () => {
  for (const [model, encode] of vocabularies) {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeTokens(encode(text), model, "prompt")).toBe(text.toWellFormed());
      }),
    );
  }
});

test("a partial character at the end of one input never affects the next input", () => {
  const before = decodeTokens([HALF, HELLO], "any", "prompt");
  expect(decodeTokens([HALF], "any", "prompt")).toBe("\ufffd");
  expect(decodeTokens([HALF, HELLO], "any", "prompt")).toBe(before);
  expect(() => decodeTokens([HALF, HELLO, 999_999_999], "any", "prompt")).toThrow(Failure);
  expect(decodeTokens([HALF, HELLO], "any", "prompt")).toBe(before);
});
