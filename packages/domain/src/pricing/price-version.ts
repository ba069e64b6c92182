import { createHash } from "node:crypto";
import type { Price } from "./price-call.ts";

/** The price that applied when calls were admitted. */
export interface PriceVersion {
  readonly id: string;
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly price: Price;
}

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
  const named: [name: string, amount: bigint | number | null | undefined][] = [
    ["audioInput", price.audioInput],
    ["audioOutput", price.audioOutput],
    ["perCharacter", price.perCharacter],
    ["perSecond", price.perSecond],
    ["perImage", price.perImage],
    ["tierAbove", tier?.aboveInputTokens],
    ["tierInput", tier?.input],
    ["tierOutput", tier?.output],
    ["tierCacheRead", tier?.cacheRead],
    ["tierCacheWrite", tier?.cacheWrite],
    ["perSearch", price.perSearch],
  ];
  return named.flatMap(([name, amount]) => (amount == null ? [] : [`${name}=${amount}`]));
}
