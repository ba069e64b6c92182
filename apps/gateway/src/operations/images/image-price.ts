import type { ImageRequest } from "@tollgate/contracts/images/image-request.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { soldVersion } from "@tollgate/domain/pricing/price-version.ts";
import { type ConditionalPrice, unconditional } from "@tollgate/domain/pricing/rate-card.ts";
import type { Deployment, Priced } from "../../call/deployment.ts";

/** Default quality and size of older image models. */
const DEFAULT_QUALITY = "standard";
const DEFAULT_SIZE = "1024x1024";

type Priceable = Pick<Deployment, "provider" | "upstreamModel" | "price" | "providerPrices"> & {
  readonly facts: Pick<Deployment["facts"], "imagePrices">;
};

const NO_PRICES: ReadonlyMap<string, Price> = new Map();

/**
 * Returns the price of images with this quality and size, or null if the model has a single price. If the request sets
 * no quality or size, or the price is unknown, the maximum price applies. The provider can charge by quality and size
 * although the sold price is the same for all.
 */
export function imagePrice(
  { quality, size }: Pick<ImageRequest, "quality" | "size">,
  target: Priceable,
): Priced | null {
  const { provider, upstreamModel, providerPrices, facts } = target;
  const choose = (prices: ReadonlyMap<string, Price>): ConditionalPrice | null => {
    const requested = `${quality ?? DEFAULT_QUALITY}/${size ?? DEFAULT_SIZE}`;
    const found =
      maxPrice(prices, (name) => name === requested) ??
      maxPrice(prices, (name) => size != null && sizeOf(name) === size) ??
      maxPrice(prices, () => true);
    return found === null ? null : { price: found.price, condition: `image ${found.name}` };
  };
  const listed = choose(facts.imagePrices);
  const charged = choose(providerPrices?.imagePrices ?? NO_PRICES);
  if (listed === null && charged === null) return null;
  const sold = listed ?? (target.price === null ? null : unconditional(target.price));
  if (sold === null) return null;
  const flat = providerPrices?.price == null ? null : unconditional(providerPrices.price);
  return { ...sold, ...soldVersion(`${provider.name}/${upstreamModel}`, sold, charged ?? flat) };
}

interface NamedPrice {
  readonly name: string;
  readonly price: Price;
}

function maxPrice(prices: ReadonlyMap<string, Price>, isPossible: (name: string) => boolean): NamedPrice | null {
  let found: NamedPrice | null = null;
  for (const [name, price] of prices) {
    if (isPossible(name) && (found === null || perImage(price) > perImage(found.price))) found = { name, price };
  }
  return found;
}

function sizeOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

function perImage(price: Price): bigint {
  return price.perImage ?? 0n;
}
