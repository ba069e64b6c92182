/** An image, or where it is. Quotes inside JSON strings are escaped, so this cannot be content. */
const IMAGE = /"(?:b64_json|url)"\s*:\s*"/g;

/** How many images an answer has, of those that were asked for. Searched, because parsing megabytes takes long. */
export function countImages(answer: string, asked: number): number {
  let images = 0;
  for (const _ of answer.matchAll(IMAGE)) images += 1;
  return Math.min(images, asked);
}
