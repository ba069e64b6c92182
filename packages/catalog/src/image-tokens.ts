import type { Model } from "./model.ts";

/** Maximum tokens of an image, for most models of the catalog. The largest known value is 6,404. */
const DEFAULT_MAX = 10_000;
/** Families that count more, according to their providers' documentation. */
const LARGER: readonly (readonly [RegExp, number])[] = [
  // 2,833 tokens, and 5,667 for each of up to 8 tiles.
  [/gpt-4o-mini/, 48_169],
  // One token for each block of 28 by 28 pixels, up to 12,845,056 pixels.
  [/qwen/i, 16_384],
];

/**
 * Maximum tokens of an image, for models that are not in the catalog. Such a name can stand for any model, so this is
 * the highest known maximum.
 */
export const UNKNOWN_IMAGE_TOKENS = 48_169;

/** Returns the maximum number of tokens that a model counts for an input image of any size. */
export function maxImageTokens({ id }: Model): number {
  return LARGER.find(([family]) => family.test(id))?.[1] ?? DEFAULT_MAX;
}
