import { billingUnits, type OptionalPrices } from "./billing-units.ts";
import type { Price } from "./price-call.ts";
import { effectiveRate } from "./rate-card.ts";

/** Requests that use these units are refused if the units have no price, so a missing price is not a loss. */
const refusedWithoutPrice: ReadonlySet<keyof OptionalPrices> = new Set([
  "perWebSearch",
  "perFileSearch",
  "perCodeSession",
  "perToolCall",
]);

/**
 * Returns the names of the rates that are lower in a price than in the price that it is compared with.
 * `alwaysSearches` is true if the model searches the web without being asked to, so that no request is refused.
 */
export function findUnitsBelow(price: Price, cost: Price, alwaysSearches = false): readonly (keyof OptionalPrices)[] {
  return billingUnits
    .map((unit) => unit.price)
    .filter((name) => {
      const [sold, paid] = [effectiveRate(price, name), effectiveRate(cost, name)];
      const isRefused = refusedWithoutPrice.has(name) && !(name === "perWebSearch" && alwaysSearches);
      if (paid === null || (sold === null && isRefused)) return false;
      return (sold ?? 0n) < paid;
    });
}
