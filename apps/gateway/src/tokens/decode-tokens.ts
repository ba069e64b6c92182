import { createRequire } from "node:module";
import { Failure } from "@tollgate/contracts/failures.ts";

type Vocabulary = "o200k_base" | "cl100k_base";
type Decode = (tokens: readonly number[]) => string;

/** Models of the newer vocabulary; every other one is taken to have the older. */
const newerModels = /(?:^|\/)(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|chatgpt-|o[134](?:-|$))/;

const decoders = new Map<Vocabulary, Decode>();

/**
 * The text of tokens a caller made with the model's own vocabulary, for upstreams that only take text. Loading a
 * vocabulary takes a sixth of a second, once and only when tokens come.
 */
export function decodeTokens(tokens: readonly number[], model: string, param: string): string {
  try {
    return decoderOf(newerModels.test(model) ? "o200k_base" : "cl100k_base")(tokens);
  } catch (error) {
    throw new Failure("invalid_request", `'${param}' has a token that the model's vocabulary does not know.`, {
      param,
      cause: error,
    });
  }
}

function decoderOf(vocabulary: Vocabulary): Decode {
  const known = decoders.get(vocabulary);
  if (known !== undefined) return known;
  const require = createRequire(import.meta.url);
  const { decode } = require(`gpt-tokenizer/encoding/${vocabulary}`) as { decode: Decode };
  decoders.set(vocabulary, decode);
  return decode;
}
