import { createRequire } from "node:module";

/** Supported vocabularies: newer and older OpenAI models. */
export type Encoding = "o200k_base" | "cl100k_base";

type Count = (text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }) => number;

/** Treats text that looks like a control token as plain text. */
const asPlainText = { disallowedSpecial: new Set<string>() };

const endlessWord = /\S{257}|\s{257}/;
const PIECE = 256;

const counts: Record<Encoding, Count | null> = { o200k_base: null, cl100k_base: null };

/**
 * Loads a vocabulary, which takes a sixth of a second and 75 MB. Processes that serve calls do so before the first one;
 * processes that never count tokens skip it.
 */
export function prepareTokenCounting(encoding: Encoding = "o200k_base"): Count {
  const known = counts[encoding];
  if (known !== null) return known;
  const require = createRequire(import.meta.url);
  const { countTokens } = require(`gpt-tokenizer/encoding/${encoding}`) as { countTokens: Count };
  counts[encoding] = countTokens;
  return countTokens;
}

/**
 * Counts the tokens of a text, by default with the most widely used vocabulary. Takes about a third of a microsecond
 * per token. A run of letters without a space takes quadratic time (65,000: 6 s), so such texts are counted in short
 * pieces, which is off by at most one token per piece.
 */
export function countText(text: string, encoding: Encoding = "o200k_base"): number {
  const countWhole = prepareTokenCounting(encoding);
  if (!endlessWord.test(text)) return countWhole(text, asPlainText);
  let tokens = 0;
  for (let start = 0; start < text.length; start += PIECE) {
    tokens += countWhole(text.slice(start, start + PIECE), asPlainText);
  }
  return tokens;
}
