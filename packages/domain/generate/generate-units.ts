import { type BillingUnit, billingUnits, countedUnits, tokenUnits } from "../src/pricing/billing-units.ts";

/** Units that most calls don't use. Their counters were added after the first version. */
const rareUnits = billingUnits.filter(({ since }) => since > 1);
/** Fractions of a price are rounded with the whole sum, in `priceCall`. */
const wholeUnits = countedUnits.filter(({ countsPerPrice }) => countsPerPrice === 1);

/** Returns the code that handles each unit and runs for each call. */
export function describeUnits(): string {
  return `// Generated from billing-units.ts by bin/pnpm generate. Do not edit.
// This code runs for each call, so it names each unit: loops over the table would be slower.
import type { UnitCounts, UnitPrices } from "./billing-units.ts";

/** Returns usage that consists of these tokens. */
export function countTokens<Source>(
${lines(tokenUnits, ({ name }) => `  ${name}: number,`)}
  source: Source,
): UnitCounts & { readonly source: Source } {
  return {
${lines(billingUnits, ({ name, kind }) => (kind === "token" ? `    ${name},` : `    ${name}: 0,`))}
    source,
  };
}

/** Reports whether the call used only plain tokens, like most calls. */
export function isPlainUsage(usage: UnitCounts): boolean {
  return (
${lines(rareUnits, ({ name }) => `    usage.${name} === 0`, " &&\n")}
  );
}

/** Adds the cost in pico-USD of the units that are neither tokens nor fractions of a price. */
export function addUnits(pico: bigint, usage: UnitCounts, price: UnitPrices): bigint {
  // Most calls have none of these units, and bigint multiplication is slow.
  let sum = pico;
${lines(wholeUnits, ({ name, price }) => `  if (usage.${name} > 0) sum += BigInt(usage.${name}) * (price.${price} ?? 0n);`)}
  return sum;
}

/** Returns the prices of all units. Units without a price have null. */
export function unitPrices<Tier>(
  input: bigint,
  output: bigint,
  more: Partial<UnitPrices>,
  tier: Tier,
): UnitPrices & { readonly tier: Tier } {
  return {
    input,
    output,
${lines(billingUnits.filter(isOptional), ({ price }) => `    ${price}: more.${price} ?? null,`)}
    tier,
  };
}
`;
}

const isOptional = ({ price }: BillingUnit): boolean => price !== "input" && price !== "output";

function lines<Unit>(units: readonly Unit[], write: (unit: Unit) => string, separator = "\n"): string {
  return units.map(write).join(separator);
}
