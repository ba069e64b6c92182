import { parseArgs } from "node:util";
import { disputeDigest, type PriceChoice, priceChoices } from "@tollgate/catalog/settle-disputes.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { confirmPrice } from "@tollgate/db/catalog/editions.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { formatExactJson } from "../ledger/exact-json.ts";
import type { OperatorIo } from "../operator-io.ts";
import { PRICE_OPTIONS, PRICE_OPTIONS_USAGE, type PriceContext, withPrices } from "./with-prices.ts";

const USAGE = `Confirm the disputed catalog prices of models.

  tollgate prices confirm deepseek/deepseek-v4-flash --use second

  --use CHOICE           Amounts to use: higher (default), first, or second source
${PRICE_OPTIONS_USAGE}

If a later edition changes one of the disputed amounts, the price is disputed again.
`;

/** `tollgate prices confirm`: decides which amounts apply to models whose sources disagree. */
export async function pricesConfirm(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { use: { type: "string", default: "higher" }, ...PRICE_OPTIONS },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const choice = priceChoices.find((one) => one === values.use);
  if (positionals.length === 0 || choice === undefined) {
    const message = `Expected one or more models, and --use ${priceChoices.join(", ")}.`;
    return reportFailure(io, `${message}\n\n${USAGE}`, EXIT.usage);
  }
  return withPrices(
    {
      config: values.config ?? null,
      data: values.data ?? null,
      work: (context) => confirm(positionals, choice, context, values.json, io),
    },
    io,
  );
}

async function confirm(
  models: readonly string[],
  choice: PriceChoice,
  { db, catalog }: PriceContext,
  isJson: boolean,
  io: OperatorIo,
): Promise<number> {
  const decided: { readonly model: string; readonly digest: string }[] = [];
  for (const name of models) {
    const model = catalog.find([name]);
    const digest = model === undefined ? null : disputeDigest(model);
    if (model === undefined) return reportFailure(io, `The catalog has no model '${name}'.`, EXIT.notFound);
    if (digest === null) return reportFailure(io, `The price of '${model.id}' is not disputed.`, EXIT.usage);
    decided.push({ model: model.id, digest });
  }
  await runAsAdministrator(db, async (transaction) => {
    for (const { model, digest } of decided) {
      const decision = { model, digest, choice, confirmedBy: "operator", confirmedAt: new Date() };
      await confirmPrice(transaction, decision);
      await writeAudit(transaction, {
        organizationId: null,
        actor: { type: "system", id: "operator" },
        action: "catalog.price_confirmed",
        target: { type: "catalog", id: model },
        after: { edition: catalog.version, choice, digest },
      });
    }
  });
  if (isJson) io.stdout.write(`${formatExactJson({ choice, models: decided.map(({ model }) => model) })}\n`);
  else for (const { model } of decided) io.stdout.write(`  ✓ ${model}: ${choice} amounts apply to new requests\n`);
  return EXIT.ok;
}
