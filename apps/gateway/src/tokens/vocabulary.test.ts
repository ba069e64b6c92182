import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { countTokens as countOlder } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countNewer } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { countText } from "./count-text.ts";
import { Vocabulary } from "./vocabulary.ts";

const require = createRequire(import.meta.url);
const asPlainText = { disallowedSpecial: new Set<string>() };
/** Parts of text whose tokens are hard to get right: marks, half characters, white space, and control tokens. */
const oddities = [
  "\ufeff",
  "\ufeffusing",
  "\ufeff\n",
  "\ufffd",
  "\ud800",
  "\udc00",
  "\u200d",
  "\u00a0",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  "'s",
  "'LL",
  "<|endoftext|>",
  "<|im_start|>",
  "://",
  "1234567",
  "internationalization",
  "antidisestablishment",
  "Größe",
  "漢字かな",
  "한국어",
  "\ud83d\udc68\u200d\ud83d\udc69",
];
const part = fc.oneof(
  fc.constantFrom(...oddities),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));

describe.for([
  ["o200k_base", countNewer],
  ["cl100k_base", countOlder],
] as const)("%s", ([encoding, count]) => {
  test("has the tokens of the published vocabulary", () => {
    const lines = readFileSync(require.resolve(`gpt-tokenizer/data/${encoding}.tiktoken`), "utf8")
      .trim()
      .split("\n");
    const vocabulary = Vocabulary.of(encoding);
    const tokens = lines.map((_, rank) => Buffer.from(vocabulary.bytesOf(rank) ?? []).toString("base64"));
    expect(tokens).toEqual(lines.map((line) => line.split(" ")[0]));
    expect([-1, 0.5, lines.length].map((token) => vocabulary.bytesOf(token))).toEqual([null, null, null]);
  });

  test("counts every text as gpt-tokenizer does", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(text, (given) => {
        // Longer runs are counted in pieces.
        fc.pre(!/\S{257}|\s{257}/.test(given));
        expect(countText(given, encoding)).toBe(count(given, asPlainText));
      }),
      { numRuns: 2_000 },
    );
  });

  test("counts words that are longer than the longest token as gpt-tokenizer does", () => {
    for (const letters of ["a", "ab", "xq", "ß", "漢", "=-", "\n", " "]) {
      const word = letters.repeat(250).slice(0, 256);
      expect(countText(word, encoding)).toBe(count(word, asPlainText));
    }
  });
});
