import type { ImageRequest } from "@tollgate/contracts/images/image-request.ts";

/** Maximum number of output tokens of one image, by quality, for images up to a number of pixels. */
interface SizedTokens {
  readonly maxPixels: number;
  readonly byQuality: ReadonlyMap<string, number>;
  /** For the highest quality, and for requests that leave the quality to the provider. */
  readonly highest: number;
}

const row = (maxPixels: number, low: number, medium: number, highest: number): SizedTokens => ({
  maxPixels,
  byQuality: new Map([
    ["low", low],
    ["medium", medium],
  ]),
  highest,
});

/**
 * From the published prices per image and per token of `gpt-image-1`, `gpt-image-1.5`, and `gpt-image-2`. Only the last
 * one creates images larger than 1536x1024. Square images have the most tokens per pixel.
 */
const usualSizes = row(1_536 * 1_024, 408, 1_792, 7_168);
const largestSizes = row(Number.POSITIVE_INFINITY, 640, 5_120, 20_480);
const sizes = [usualSizes, row(2_048 * 2_048, 512, 3_840, 14_848), largestSizes];

const SIZE = /^(\d{1,5})x(\d{1,5})$/;

/** Returns the maximum number of output tokens of one image. */
export function imageOutputTokens({ quality, size }: Pick<ImageRequest, "quality" | "size">): number {
  const { byQuality, highest } = tokensOfSize(size ?? "auto");
  return byQuality.get(quality ?? "") ?? highest;
}

function tokensOfSize(size: string): SizedTokens {
  // Models choose one of the usual sizes themselves.
  if (size === "auto") return usualSizes;
  const [, width, height] = SIZE.exec(size) ?? [];
  if (width === undefined || height === undefined) return largestSizes;
  const pixels = Number(width) * Number(height);
  return sizes.find(({ maxPixels }) => pixels <= maxPixels) ?? largestSizes;
}
