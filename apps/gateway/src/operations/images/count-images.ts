/** Matches an image or its URL. Quotes inside JSON strings are escaped, so the pattern can't match content. */
const IMAGE = /"(?:b64_json|url)"\s*:\s*"/g;

/**
 * Counts the images in a response, up to the requested number. Searches the text, because parsing megabytes of JSON is
 * slow.
 */
export function countImages(answer: string, asked: number): number {
  let images = 0;
  for (const _ of answer.matchAll(IMAGE)) images += 1;
  return Math.min(images, asked);
}
