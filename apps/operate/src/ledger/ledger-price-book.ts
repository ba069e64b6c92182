import { readFileSync } from "node:fs";
import type { PriceBook } from "@tollgate/db/ledger/re-rate.ts";
import { countedUnits, mapPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { composePrice } from "@tollgate/domain/pricing/compose-price.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { Findings } from "@tollgate/runtime/settings/findings.ts";
import { parseDecimal } from "@tollgate/runtime/settings/parse-usd.ts";
import { readYaml } from "@tollgate/runtime/settings/read-yaml.ts";
import type { SourceMap, SourceNode } from "@tollgate/runtime/settings/source-tree.ts";

/** Thrown for an invalid price book. The message contains the location and the reason. */
export class PriceBookRefused extends Error {}

const anyOf = new Intl.ListFormat("en", { type: "disjunction" });

export const PRICE_BOOK_USAGE = `A price book is a JSON or YAML file. Each name is a price version, an upstream model, or a model group. The first match, in
that order, sets the price of a request. A model or a group matches requests at the provider's price without a condition, not
those with a caller's own key, a margin, a price that you set, or a price of the organization. Name the versions of
those. Prices are USD per million units, or integer pico-USD per unit:

  openai/gpt-4o:    { input: 2.50, output: 10, cacheRead: 1.25 }
  openai/whisper-1: { perSecond: 100 }
  price_0123…:      { inputPico: 2500000, outputPico: 10000000 }

input and output are required unless ${anyOf.format(countedUnits.filter(({ canBeOnlyPrice }) => canBeOnlyPrice).map(({ price }) => price))} is set. cacheRead, cacheWrite, and
audioInput default to input; longCacheWrite defaults to cacheWrite; reasoning and audioOutput default to output.
tierInput, tierOutput, tierCacheRead, tierCacheWrite, and tierLongCacheWrite apply to requests whose prompt exceeds
tierAbove tokens (default: 200000).`;

const TIER_FIELDS = ["tierInput", "tierOutput", "tierCacheRead", "tierCacheWrite", "tierLongCacheWrite"] as const;
const { input, output, ...otherPrices } = mapPrices(({ price }) => price);
const FIELDS = [input, output, ...Object.values(otherPrices), ...TIER_FIELDS];
type Field = (typeof FIELDS)[number];
const TIER_FIELD = "tierAbove";
const DEFAULT_TIER = 200_000;
// One USD per million units is 10^6 pico-USD per unit.
const PICO_DECIMALS_PER_MILLION = 6;

/** Reads a price book from a file. Rejects amounts that would have to be rounded. */
export function readPriceBook(file: string): PriceBook {
  const findings = new Findings();
  const root = readYaml(file, readFileSync(file, "utf8"), findings);
  const [problem] = findings.problems;
  if (root === null || problem !== undefined)
    throw new PriceBookRefused(`${file}: ${problem?.message ?? "could not be read"}`);
  const book = new Map([...root.entries].map(([name, { value }]) => [name, readPrice(file, name, value)]));
  if (book.size === 0) throw new PriceBookRefused(`${file}: contains no prices`);
  return book;
}

function readPrice(file: string, name: string, node: SourceNode): Price {
  if (node.kind !== "map")
    throw new PriceBookRefused(`${file}: ${name} must be a set of prices, such as { input: 1, output: 2 }`);
  const known = new Set<string>([...FIELDS.flatMap((field) => [field, `${field}Pico`]), TIER_FIELD]);
  for (const field of node.entries.keys()) {
    if (!known.has(field))
      throw new PriceBookRefused(`${file}: ${name} has an unknown price '${field}'. Prices: ${FIELDS.join(", ")}`);
  }
  const amounts = Object.fromEntries(FIELDS.map((field) => [field, readAmount(file, name, field, node)]));
  const { tierInput, tierOutput, tierCacheRead, tierCacheWrite, tierLongCacheWrite, ...plain } = amounts as Record<
    Field,
    bigint | null
  >;
  const aboveInputTokens = readTierBound(file, name, node);
  const price = composePrice(null, {
    ...plain,
    tier: {
      aboveInputTokens,
      input: tierInput,
      output: tierOutput,
      cacheRead: tierCacheRead,
      cacheWrite: tierCacheWrite,
      longCacheWrite: tierLongCacheWrite,
    },
  });
  if (price === null) throw new PriceBookRefused(`${file}: ${name} requires input and output`);
  return price;
}

function readTierBound(file: string, name: string, node: SourceMap): number {
  const given = node.entries.get(TIER_FIELD)?.value;
  if (given === undefined) return DEFAULT_TIER;
  const tokens = given.kind === "scalar" ? Number(given.text) : Number.NaN;
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  throw new PriceBookRefused(`${file}: ${name}.${TIER_FIELD} must be a number of tokens`);
}

function readAmount(file: string, name: string, field: string, node: SourceMap): bigint | null {
  const perMillion = node.entries.get(field)?.value;
  const pico = node.entries.get(`${field}Pico`)?.value;
  if (perMillion !== undefined && pico !== undefined) {
    throw new PriceBookRefused(`${file}: ${name} has both ${field} and ${field}Pico`);
  }
  const given = perMillion ?? pico;
  if (given === undefined) return null;
  const parsed =
    given.kind === "scalar" ? parseDecimal(given.text, perMillion === undefined ? 0 : PICO_DECIMALS_PER_MILLION) : null;
  if (parsed === null || parsed.kind !== "exact") {
    const reason =
      parsed?.kind === "too-fine"
        ? "more precise than one pico-USD per unit"
        : "not a number greater than or equal to 0";
    throw new PriceBookRefused(`${file}: ${name}.${pico === undefined ? field : `${field}Pico`} is ${reason}`);
  }
  return parsed.value;
}
