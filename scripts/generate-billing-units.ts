import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addMissingUnits } from "../packages/db/generate/unit-lists.ts";
import { billingUnits } from "../packages/domain/src/pricing/billing-units.ts";

/** Returns the console's labels and chart parts for the lines of a cost breakdown. The console can't import the table. */
export function describeCostUnits(): string {
  return [
    "// Generated from packages/domain/src/pricing/billing-units.ts by bin/pnpm generate. Do not edit.",
    "export const costUnits = {",
    ...billingUnits.map(
      ({ costLine, label, chartPart }) => `  ${costLine}: { label: "${label}", part: "${chartPart}" },`,
    ),
    "} as const;",
    "",
  ].join("\n");
}

/** Renders the reference of billing units. */
export function describeBillingUnits(): string {
  return [
    "# Billing units",
    "",
    "Look up the units that requests are billed for, and the settings for their prices. This page is generated from `packages/domain/src/pricing/billing-units.ts` by `bin/pnpm generate`. To add a unit, see [Add a billing unit](../contributing/add-a-billing-unit.md).",
    "",
    "Counters don't overlap, unless the table lists the counter that includes them. For how the cost of a request is computed and rounded, see [Credits and nano-USD](../concepts/credits-and-nano-usd.md). For price settings, see [Set custom prices](../guides/custom-prices.md).",
    "",
    "| Counter | Meaning | Included in | Price settings | Name in a price book | Line in cost breakdowns |",
    "|---|---|---|---|---|---|",
    ...billingUnits.map((unit) => {
      const settings = Object.keys(unit.settings).map((name) => `\`${name}\``);
      const partOf = unit.partOf === null ? "" : `\`${unit.partOf}\``;
      return `| \`${unit.name}\` | ${unit.description} | ${partOf} | ${settings.join(", ")} | \`${unit.price}\` | \`${unit.costLine}\` |`;
    }),
    "",
  ].join("\n");
}

/** Returns the SQL functions with every unit. Only their lists of units are generated. The rest is written by hand. */
export function functionFiles(folder: string): Record<string, () => string> {
  const directory = join(import.meta.dirname, "..", folder);
  return Object.fromEntries(
    readdirSync(directory).map((file) => [
      `${folder}/${file}`,
      () => addMissingUnits(readFileSync(join(directory, file), "utf8")),
    ]),
  );
}
