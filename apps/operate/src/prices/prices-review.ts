import { parseArgs } from "node:util";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { EXIT } from "@tollgate/runtime/exit.ts";
import { formatExactJson } from "../ledger/exact-json.ts";
import type { OperatorIo } from "../operator-io.ts";
import { describeDisputes } from "./price-report.ts";
import { namesByModel, PRICE_OPTIONS, PRICE_OPTIONS_USAGE, type PriceContext, withPrices } from "./with-prices.ts";

const USAGE = `List catalog prices that the catalog's sources disagree about.

  tollgate prices review
  tollgate prices review --all --json

  --all                  Include models that no deployment uses
${PRICE_OPTIONS_USAGE}

To decide, run tollgate prices confirm MODEL --use first. The setting prices.disputed decides what applies until then.
`;

/** `tollgate prices review`: lists disputed prices, with the deployments that use them. */
export async function pricesReview(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { all: { type: "boolean", default: false }, ...PRICE_OPTIONS },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  return withPrices(
    {
      config: values.config ?? null,
      data: values.data ?? null,
      work: async (context) => review(context, values.all, values.json, io),
    },
    io,
  );
}

function review(context: PriceContext, showsAll: boolean, isJson: boolean, io: OperatorIo): number {
  const { catalog } = context;
  const used = namesByModel(context, catalog, io);
  const disputed = disputedModels(catalog);
  const shown = disputed.filter(({ id }) => showsAll || used.has(id));
  if (isJson) {
    const { version: edition, pricesAsOf, sources } = catalog;
    const models = shown.map(({ id, isRefused, disputes }) => ({
      model: id,
      isRefused,
      deployments: used.get(id) ?? [],
      disputes,
    }));
    io.stdout.write(`${formatExactJson({ edition, pricesAsOf, sources, models })}\n`);
    return EXIT.ok;
  }
  const sources = Object.keys(catalog.sources);
  for (const model of shown) io.stdout.write(describeDisputes(model, used, sources));
  const others = disputed.length - shown.length;
  const end = others === 0 ? "" : `; ${others} that no deployment uses are not shown (--all)`;
  const sign = shown.length === 0 ? "✓ " : "";
  io.stdout.write(`  ${sign}${shown.length} models with disputed prices in edition ${catalog.version}${end}\n`);
  return EXIT.ok;
}

const disputedModels = (catalog: Catalog) => catalog.models().filter(({ disputes }) => disputes.length > 0);
