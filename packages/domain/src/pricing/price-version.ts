import { createHash } from "node:crypto";
import type { Price } from "./price-call.ts";

/** A price as calls were admitted under it. */
export interface PriceVersion {
  readonly id: string;
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly price: Price;
}

/** The name of a price, made from what it says: every process that knows the same price names it alike. */
export function priceVersionId(model: string, price: Price): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = price;
  // A missing price is not a price of zero, so it is written otherwise.
  const parts = [model, input, output, cacheRead ?? "-", cacheWrite ?? "-", reasoning ?? "-"];
  // The rest came later: what has none of it keeps the name it had before.
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
