import { createHash } from "node:crypto";
import { billingUnits } from "./billing-units.ts";
import type { Price } from "./price-call.ts";
import type { ConditionalPrice } from "./rate-card.ts";

/** The price that applied when calls were admitted. */
export interface PriceVersion {
  readonly id: string;
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly price: Price;
  /** What the provider served at this price, such as `service tier priority`; null if the price has no condition. */
  readonly condition?: string | null;
  /** The provider's price for the same calls; absent if it is this price. */
  readonly cost?: PriceVersion;
}

/** Units of this version were added to prices before the tier, and later units after it. */
const TIER_VERSION = 2;

/**
 * Derives a price's ID from its contents, so that every process computes the same ID for the same price. `costId` is the
 * version of the provider's price, if it differs from this price.
 */
export function priceVersionId(
  model: string,
  price: Price,
  condition: string | null = null,
  costId: string | null = null,
): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = price;
  // A missing price differs from a price of zero.
  const parts = [model, input, output, cacheRead ?? "-", cacheWrite ?? "-", reasoning ?? "-"];
  // The other fields were added later. Prices without these fields keep their ID.
  const named = condition === null ? [] : [`condition=${condition}`];
  const bought = costId === null ? [] : [`cost=${costId}`];
  const text = [...parts, ...laterParts(price), ...named, ...bought].join("\n");
  return `price_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

/**
 * Returns the version of a sold price, which names the version of the provider's price if both differ. Their conditions
 * can differ too.
 */
export function soldVersion(
  model: string,
  { price, condition }: ConditionalPrice,
  bought: ConditionalPrice | null,
): { readonly priceVersionId: string; readonly cost: PriceVersion | null } {
  const plainId = priceVersionId(model, price, condition);
  if (bought === null) return { priceVersionId: plainId, cost: null };
  const costId = priceVersionId(model, bought.price, bought.condition);
  if (costId === plainId) return { priceVersionId: plainId, cost: null };
  const cost = {
    id: costId,
    model,
    price: bought.price,
    ...(bought.condition !== null && { condition: bought.condition }),
  };
  return { priceVersionId: priceVersionId(model, price, condition, costId), cost };
}

function laterParts({ tier, ...price }: Price): string[] {
  const named: (readonly [name: string, amount: bigint | number | null | undefined])[] = [
    ...billingUnits
      .filter(({ since }) => since === TIER_VERSION)
      .map((unit) => [unit.price, price[unit.price]] as const),
    ["tierAbove", tier?.aboveInputTokens],
    ["tierInput", tier?.input],
    ["tierOutput", tier?.output],
    ["tierCacheRead", tier?.cacheRead],
    ["tierCacheWrite", tier?.cacheWrite],
    ...billingUnits.filter(({ since }) => since > TIER_VERSION).map((unit) => [unit.price, price[unit.price]] as const),
    ["tierLongCacheWrite", tier?.longCacheWrite],
  ];
  return named.flatMap(([name, amount]) => (amount == null ? [] : [`${name}=${amount}`]));
}
