import type { Model } from "./model.ts";

/** Maximum tokens of an image, for most models of the catalog. */
const USUAL = 6_000;
/** Families that count more, according to their providers' documentation. */
const LARGER: readonly (readonly [RegExp, number])[] = [
  // 2,833 tokens, and 5,667 for each of up to 8 tiles.
  [/gpt-4o-mini/, 48_169],
  // One token for each block of 28 by 28 pixels, up to 12,845,056 pixels.
  [/qwen[\w.-]*-?vl/i, 16_384],
];

/** Maximum tokens of an image, for models that are not in the catalog. */
export const UNKNOWN_IMAGE_TOKENS = 16_384;

/** Returns the maximum number of tokens that a model counts for an input image of any size. */
export function maxImageTokens({ id }: Model): number {
  return LARGER.find(([family]) => family.test(id))?.[1] ?? USUAL;
}
