import { readFileSync } from "node:fs";
import type { PriceBook } from "@tollgate/db/ledger/re-rate.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { Findings } from "@tollgate/runtime/settings/findings.ts";
import { parseDecimal } from "@tollgate/runtime/settings/parse-usd.ts";
import { readYaml } from "@tollgate/runtime/settings/read-yaml.ts";
import type { SourceMap, SourceNode } from "@tollgate/runtime/settings/source-tree.ts";

/** A price book that cannot be used; the message says where and why. */
export class PriceBookRefused extends Error {}

export const PRICE_BOOK_USAGE = `A price book is JSON or YAML. Each name is a price version, an upstream model or a model group; the first of these
that is in the book gives a call's price. Prices are USD per million tokens, or whole pico-USD per token:

  openai/gpt-4o: { input: 2.50, output: 10, cacheRead: 1.25 }
  price_0123…:   { inputPico: 2500000, outputPico: 10000000 }

input and output are needed; cacheRead and cacheWrite default to input, reasoning to output.`;

const FIELDS = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;
// One USD per million tokens is a millionth of a USD per token, which is 10^6 pico-USD.
const PICO_DECIMALS_PER_MILLION = 6;

/** Reads a price book from a file. Every amount is exact or refused, never rounded. */
export function readPriceBook(file: string): PriceBook {
  const findings = new Findings();
  const root = readYaml(file, readFileSync(file, "utf8"), findings);
  const [problem] = findings.problems;
  if (root === null || problem !== undefined)
    throw new PriceBookRefused(`${file}: ${problem?.message ?? "cannot be read"}`);
  const book = new Map([...root.entries].map(([name, { value }]) => [name, readPrice(file, name, value)]));
  if (book.size === 0) throw new PriceBookRefused(`${file}: there is no price in it`);
  return book;
}

function readPrice(file: string, name: string, node: SourceNode): Price {
  if (node.kind !== "map")
    throw new PriceBookRefused(`${file}: ${name} is not a set of prices such as { input: 1, output: 2 }`);
  const known = new Set<string>(FIELDS.flatMap((field) => [field, `${field}Pico`]));
  for (const field of node.entries.keys()) {
    if (!known.has(field))
      throw new PriceBookRefused(`${file}: ${name} has '${field}', which is no price. There are: ${FIELDS.join(", ")}`);
  }
  const [input, output, cacheRead, cacheWrite, reasoning] = FIELDS.map((field) => readAmount(file, name, field, node));
  if (input == null || output == null) throw new PriceBookRefused(`${file}: ${name} needs input and output`);
  return { input, output, cacheRead: cacheRead ?? null, cacheWrite: cacheWrite ?? null, reasoning: reasoning ?? null };
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
    const reason = parsed?.kind === "too-fine" ? "finer than a pico-USD per token" : "not a number of zero or more";
    throw new PriceBookRefused(`${file}: ${name}.${pico === undefined ? field : `${field}Pico`} is ${reason}`);
  }
  return parsed.value;
}
