import { Failure } from "@tollgate/contracts/failures.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Matches models with the newer vocabulary. All other models are assumed to use the older vocabulary. */
const newerModels = /(?:^|\/)(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|chatgpt-|o[134](?:-|$))/;

/** Decodes tokens with the model's vocabulary, for upstreams that accept only text. */
export function decodeTokens(tokens: readonly number[], model: string, param: string): string {
  const vocabulary = Vocabulary.of(newerModels.test(model) ? "o200k_base" : "cl100k_base");
  const pieces = tokens.map((token) => {
    const bytes = vocabulary.bytesOf(token);
    if (bytes !== null) return bytes;
    throw new Failure("invalid_request", `'${param}' contains a token that is not in the model's vocabulary.`, {
      param,
    });
  });
  // All bytes are decoded in one call, because a shared streaming decoder could add half a character to the next
  // caller's text.
  return Buffer.concat(pieces).toString("utf8");
}
