import { decodeTokens } from "./decode-tokens.ts";

/** What a request may give a model to read: one text or several, each written out or as tokens. */
export type TextOrTokens = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

export type Item = string | readonly number[];

/** Of plain letters no ordinary text has fewer for a token; of all other bytes a token may have as few as one. */
const LETTERS_PER_TOKEN = 2;

/** The items, of which there is one when a single text was given. */
export function itemsOf(given: TextOrTokens): readonly Item[] {
  if (typeof given === "string" || typeof given[0] === "number") return [given as Item];
  return given as readonly Item[];
}

/** Whether any of it is written as tokens. */
export function hasTokens(given: TextOrTokens): boolean {
  return itemsOf(given).some((item) => typeof item !== "string");
}

/** Each item as text; tokens are read with the model's vocabulary. `param` names the field to blame. */
export function textsOf(given: TextOrTokens, model: string, param: string): readonly string[] {
  return itemsOf(given).map((item) => (typeof item === "string" ? item : decodeTokens(item, model, param)));
}

/**
 * The most tokens all items have together. Nothing of an answer makes up for too few, as it does for a chat, so this errs
 * on the side of too many. Texts are bytes here; no model reads more of an item than it says it does.
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
