import { type ImageSize, readImageSize } from "./read-image-size.ts";

const TOKENS_OF_OVERVIEW = 85;
const TOKENS_PER_TILE = 170;
const TILE_PIXELS = 512;
const MAX_SIDE = 2_048;
const SHORTEST_SIDE = 768;
/** Number of tiles in an image of unknown size. The image is assumed to be 1024 by 1024 pixels. */
const DEFAULT_TILES = 4;

/**
 * Counts the tokens of an image in a prompt. An image has tokens for an overview and, unless the detail is low, for
 * each tile.
 */
export function countImage(url: string, detail: unknown): number {
  if (detail === "low") return TOKENS_OF_OVERVIEW;
  const size = readImageSize(url);
  if (detail !== "high" && size !== null && Math.max(size.width, size.height) <= TILE_PIXELS) return TOKENS_OF_OVERVIEW;
  return TOKENS_OF_OVERVIEW + TOKENS_PER_TILE * (size === null ? DEFAULT_TILES : countTiles(size));
}

/** Counts tiles. Large images are scaled down before they are split. */
function countTiles({ width, height }: ImageSize): number {
  const toFit = Math.min(1, MAX_SIDE / Math.max(width, height));
  const scale = toFit * Math.min(1, SHORTEST_SIDE / (Math.min(width, height) * toFit));
  const tilesAlong = (side: number) => Math.max(1, Math.ceil(Math.round(side * scale) / TILE_PIXELS));
  return tilesAlong(width) * tilesAlong(height);
}
