import { decodeTokens } from "./decode-tokens.ts";

/** Text input of a request: one or more items, each a string or a list of tokens. */
export type TextOrTokens = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

export type Item = string | readonly number[];

/** Minimum number of letters per token in ordinary text. For all other bytes, a token can be a single byte. */
const LETTERS_PER_TOKEN = 2;

/** Returns the items. A single string or token list is one item. */
export function itemsOf(given: TextOrTokens): readonly Item[] {
  if (typeof given === "string" || typeof given[0] === "number") return [given as Item];
  return given as readonly Item[];
}

/** Reports whether any item is given as tokens. */
export function hasTokens(given: TextOrTokens): boolean {
  return itemsOf(given).some((item) => typeof item !== "string");
}

/** Returns each item as text, decoding tokens with the model's vocabulary. `param` names the field in errors. */
export function textsOf(given: TextOrTokens, model: string, param: string): readonly string[] {
  return itemsOf(given).map((item) => (typeof item === "string" ? item : decodeTokens(item, model, param)));
}

/**
 * Returns an upper bound on the total number of tokens in all items. The bound must not be too low, because these
 * calls, unlike chats, have no reserved output tokens that could cover the difference. Strings have one character per
 * byte, and each item counts as at most `mostPerItem` tokens.
 */
export function mostTokens(given: TextOrTokens, mostPerItem: number | null): number {
  let tokens = 0;
  for (const item of itemsOf(given)) {
    const most = typeof item === "string" ? mostOfText(item) : item.length;
    tokens += mostPerItem === null ? most : Math.min(most, mostPerItem);
  }
  return tokens;
}

function mostOfText(bytes: string): number {
  let others = 0;
  for (let index = 0; index < bytes.length; index += 1) if (bytes.charCodeAt(index) > 127) others += 1;
  return others + Math.ceil((bytes.length - others) / LETTERS_PER_TOKEN);
}
