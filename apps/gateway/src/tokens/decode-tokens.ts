import { createRequire } from "node:module";
import { Failure } from "@tollgate/contracts/failures.ts";

type Vocabulary = "o200k_base" | "cl100k_base";
/** What each token says: text, or bytes where a character is cut in two. */
type Words = readonly (string | readonly number[] | undefined)[];

/** Models of the newer vocabulary; every other one is taken to have the older. */
const newerModels = /(?:^|\/)(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|chatgpt-|o[134](?:-|$))/;

const known = new Map<Vocabulary, Words>();

/**
 * The text of tokens a caller made with the model's own vocabulary, for upstreams that only take text. Loading a
 * vocabulary takes a tenth of a second, once and only when tokens come.
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
  // All at once and from the bytes: a reader that outlives the call would keep half a character for the next caller.
  return Buffer.concat(pieces).toString("utf8");
}

function wordsOf(vocabulary: Vocabulary): Words {
  const loaded = known.get(vocabulary);
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  const { default: words } = require(`gpt-tokenizer/bpeRanks/${vocabulary}`) as { default: Words };
  known.set(vocabulary, words);
  return words;
}
