import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { readUsd } from "../../../format-values.ts";
import { findOrganization } from "../find-organization.ts";
import { given } from "../models/model-flags.ts";
import { describePrice, type PriceEntry, readPrices, savePrices } from "./price-list.ts";

const PERCENTAGE = /^-?\d{1,4}(\.\d{1,4})?$/;

/** The `tollgate admin prices set` command. */
export const adminPricesSet = defineCommand({
  kind: "change",
  examples: [
    "tollgate admin prices set Acme --percentage=-10",
    "tollgate admin prices set Acme --model example-large --input-price 2 --output-price 8",
  ],
  arguments: [{ name: "organization", description: "Organization name or ID" }],
  flags: {
    model: { type: "string", value: "MODEL", description: "Model group; defaults to all others", completes: "models" },
    percentage: {
      type: "string",
      value: "NUMBER",
      description: "Percentage of the standard price to add, such as 5 or -10",
    },
    "input-price": { type: "string", value: "USD", description: "Fixed price per million input tokens" },
    "output-price": { type: "string", value: "USD", description: "Fixed price per million output tokens" },
    "cached-price": { type: "string", value: "USD", description: "Fixed price per million cached input tokens" },
    "request-price": {
      type: "string",
      value: "USD",
      description: "Fixed price per request, or with --percentage, the amount to add per request",
    },
  },
  fields: ["model", "percentage", "fixedPerRequest", "price"],
  operations: ["getOrganizationPrices", "updateOrganizationPrices"],
  async run(context, flags, { organization }) {
    const entry = readEntry(flags);
    const { id, name } = await findOrganization(context, organization);
    const others = (await readPrices(context, id)).filter(({ model }) => model !== entry.model);
    const request = { ...entry, fixedPerRequest: entry.fixedPerRequest.toString() };
    const what = entry.model === "*" ? "all other models" : entry.model;
    const summary = `Set the price of ${what} for ${name} to ${describePrice(entry)}`;
    if (!(await context.confirms({ summary, request }))) return;
    await savePrices(context, id, [...others, entry]);
    context.output.done(`${what} for ${name}: ${describePrice(entry)}. New requests have this price.`);
    if (context.output.isJson) context.output.record(entry, () => "");
  },
});

interface PriceFlags {
  readonly model: string | undefined;
  readonly percentage: string | undefined;
  readonly "input-price": string | undefined;
  readonly "output-price": string | undefined;
  readonly "cached-price": string | undefined;
  readonly "request-price": string | undefined;
}

function readEntry(flags: PriceFlags): PriceEntry {
  const { model = "*", percentage } = flags;
  const perRequest = amount(flags["request-price"]);
  const tokenRates = given({
    inputPerMillionTokens: amount(flags["input-price"]),
    outputPerMillionTokens: amount(flags["output-price"]),
    cachedInputPerMillionTokens: amount(flags["cached-price"]),
  });
  if (percentage !== undefined) {
    if (!PERCENTAGE.test(percentage))
      throw usageError(`Invalid percentage '${percentage}'.`, "Specify a number, such as 5 or -10.");
    if (Object.keys(tokenRates).length > 0)
      throw usageError("A price is either a percentage or fixed.", "Remove --percentage, or the fixed prices.");
    return { model, percentage, fixedPerRequest: BigInt(perRequest ?? 0), price: null };
  }
  const price = { ...tokenRates, ...given({ perRequest }) };
  if (Object.keys(price).length === 0)
    throw usageError("A price is required.", "Add --percentage NUMBER, or --input-price USD and --output-price USD.");
  if (model === "*") throw usageError("A fixed price requires a model.", "Add --model MODEL.");
  return { model, percentage: null, fixedPerRequest: 0n, price };
}

/** Returns an amount in nano-USD. The API has rates as numbers, which are exact up to a million dollars. */
function amount(usd: string | undefined): number | undefined {
  return usd === undefined ? undefined : Number(readUsd(usd));
}
