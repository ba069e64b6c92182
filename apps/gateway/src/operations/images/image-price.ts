import type { ImageRequest } from "@tollgate/contracts/images/image-request.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import type { Deployment, Priced } from "../../call/deployment.ts";

/** Default quality and size of older image models. */
const DEFAULT_QUALITY = "standard";
const DEFAULT_SIZE = "1024x1024";

type Priceable = Pick<Deployment, "provider" | "upstreamModel"> & {
  readonly facts: Pick<Deployment["facts"], "imagePrices">;
};

/**
 * Returns the price of images with this quality and size, or null if the model has a single price. If the request sets
 * no quality or size, or the price is unknown, the maximum price applies.
 */
export function imagePrice(
  { quality, size }: Pick<ImageRequest, "quality" | "size">,
  target: Priceable,
): Priced | null {
  const { imagePrices } = target.facts;
  if (imagePrices.size === 0) return null;
  const price =
    imagePrices.get(`${quality ?? DEFAULT_QUALITY}/${size ?? DEFAULT_SIZE}`) ??
    maxPrice(imagePrices, (name) => size != null && sizeOf(name) === size) ??
    maxPrice(imagePrices, () => true);
  if (price === null) return null;
  return { price, priceVersionId: priceVersionId(`${target.provider.name}/${target.upstreamModel}`, price) };
}

function maxPrice(prices: ReadonlyMap<string, Price>, isPossible: (name: string) => boolean): Price | null {
  let found: Price | null = null;
  for (const [name, price] of prices) {
    if (isPossible(name) && (found === null || perImage(price) > perImage(found))) found = price;
  }
  return found;
}

function sizeOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

function perImage(price: Price): bigint {
  return price.perImage ?? 0n;
}
