import { createHash } from "node:crypto";
import { billingUnits } from "./billing-units.ts";
import type { Price } from "./price-call.ts";

/** The price that applied when calls were admitted. */
export interface PriceVersion {
  readonly id: string;
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly price: Price;
}

/** Units of this version were added to prices before the tier, and later units after it. */
const TIER_VERSION = 2;

/** Derives a price's ID from its contents, so that every process computes the same ID for the same price. */
export function priceVersionId(model: string, price: Price): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = price;
  // A missing price differs from a price of zero.
  const parts = [model, input, output, cacheRead ?? "-", cacheWrite ?? "-", reasoning ?? "-"];
  // The other fields were added later. Prices without these fields keep their ID.
  const text = [...parts, ...laterParts(price)].join("\n");
  return `price_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
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
  ];
  return named.flatMap(([name, amount]) => (amount == null ? [] : [`${name}=${amount}`]));
}
