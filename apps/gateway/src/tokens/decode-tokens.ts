import { createRequire } from "node:module";
import { Failure } from "@tollgate/contracts/failures.ts";

type Vocabulary = "o200k_base" | "cl100k_base";
/** Content of each token: text, or bytes if the token contains only part of a character. */
type Words = readonly (string | readonly number[] | undefined)[];

/** Matches models with the newer vocabulary. All other models are assumed to use the older vocabulary. */
const newerModels = /(?:^|\/)(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|chatgpt-|o[134](?:-|$))/;

const require = createRequire(import.meta.url);
// The build bundles these two of the package's vocabularies, so their names must be literals.
const vocabularies: Record<Vocabulary, () => { default: Words }> = {
  o200k_base: () => require("gpt-tokenizer/bpeRanks/o200k_base"),
  cl100k_base: () => require("gpt-tokenizer/bpeRanks/cl100k_base"),
};
const known = new Map<Vocabulary, Words>();

/**
 * Decodes tokens with the model's vocabulary, for upstreams that accept only text. Loading a vocabulary on first use
 * takes about 100 ms.
 */
export function decodeTokens(tokens: readonly number[], model: string, param: string): string {
  const words = wordsOf(newerModels.test(model) ? "o200k_base" : "cl100k_base");
  const pieces = tokens.map((token) => {
    const word = words[token];
    if (word !== undefined) return Buffer.from(word as string);
    throw new Failure("invalid_request", `'${param}' contains a token that is not in the model's vocabulary.`, {
      param,
    });
  });
  // All bytes are decoded in one call, because a shared streaming decoder could add half a character to the next
  // caller's text.
  return Buffer.concat(pieces).toString("utf8");
}

function wordsOf(vocabulary: Vocabulary): Words {
  const loaded = known.get(vocabulary);
  if (loaded !== undefined) return loaded;
  const { default: words } = vocabularies[vocabulary]();
  known.set(vocabulary, words);
  return words;
}
