import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Catalog, openCatalog, readBuiltInCatalog } from "@tollgate/catalog/catalog.ts";
import { listConfirmations, readEditionText, type StoredConfirmation } from "@tollgate/db/catalog/editions.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { postReRating } from "@tollgate/db/ledger/post-re-rating.ts";
import { type PriceBook, type ReRatedLine, reRate } from "@tollgate/db/ledger/re-rate.ts";
import { findSalesByOrigin, type Sale } from "@tollgate/db/ledger/sales.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import { keepMargin } from "@tollgate/domain/pricing/keep-margin.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { askYes } from "../prices/ask-yes.ts";
import { formatExactJson } from "./exact-json.ts";
import { PRICE_BOOK_USAGE, PriceBookRefused, readPriceBook } from "./ledger-price-book.ts";

const USAGE = `Show what the charged requests of a period would have cost with different prices. Changes nothing without --post.

  tollgate ledger re-rate --from 2026-11-01 --to 2026-11-30 --prices prices.yaml
  tollgate ledger re-rate --from 2026-11-01 --to 2026-11-30 --from-edition 2026-09.1 --edition 2026-11.1 --post

  --from TIME            Start, such as 2026-11-01 (UTC) or 2026-11-01T10:00:00Z
  --to TIME              End; a date includes the whole day, a time is exclusive
  --prices FILE          Price book with the different prices
  --edition NAME         Catalog edition with the different prices, instead of a price book
  --from-edition NAME    Catalog edition that the requests were charged at; other requests keep their cost
  --post                 After the report, ask, and post the difference of each organization as an adjustment
  --yes                  Post without asking
  --organization ID      Only requests of this organization
${LEDGER_OPTIONS_USAGE}

${PRICE_BOOK_USAGE}
`;

const DAY_MS = 86_400_000;

/**
 * `tollgate ledger re-rate`: recalculates the cost of a period with a different price book, per organization and model.
 */
export async function ledgerReRate(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: "string" },
      to: { type: "string" },
      prices: { type: "string" },
      edition: { type: "string" },
      "from-edition": { type: "string" },
      post: { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      organization: { type: "string" },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const from = readTime(values.from, 0);
  const to = readTime(values.to, DAY_MS);
  const { edition, "from-edition": fromEdition } = values;
  const hasEditions = edition !== undefined && fromEdition !== undefined;
  const hasBook = values.prices !== undefined && edition === undefined && fromEdition === undefined;
  if (from === null || to === null || from >= to || hasEditions === hasBook) {
    return reportFailure(
      io,
      `--from and --to are required, --from must be before --to, and either --prices, or --edition and --from-edition are required.\n\n${USAGE}`,
      EXIT.usage,
    );
  }
  const period = { from, to, ...(values.organization !== undefined && { organizationId: values.organization }) };
  try {
    const book = hasEditions ? null : readBook(resolve(io.cwd, values.prices as string));
    return await withLedger(
      {
        data: values.data ?? null,
        role: "tollgate_worker",
        work: async ({ db }) => {
          const chosen = book ?? (await editionBook(db, period, fromEdition as string, edition as string, io));
          const lines = await reRate(db, { ...period, prices: chosen.prices, keptSales: chosen.keptSales });
          io.stdout.write(values.json ? formatJson(from, to, lines) : formatTable(lines, hasEditions));
          return values.post ? post(db, { ...period, prices: chosen.name }, lines, values.yes, io) : EXIT.ok;
        },
      },
      io,
    );
  } catch (error) {
    if (!(error instanceof PriceBookRefused)) throw error;
    return reportFailure(io, error.message, EXIT.usage);
  }
}

/** Prices, and a name for them that is part of the idempotency key of a posting. */
interface NamedBook {
  readonly name: string;
  readonly prices: PriceBook;
  /** Sales that keep their cost, although the prices contain their version. */
  readonly keptSales: readonly Sale[];
}

function readBook(file: string): NamedBook {
  try {
    const digest = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
    return { name: `price book ${digest}`, prices: readPriceBook(file), keptSales: [] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new PriceBookRefused(message);
    throw error;
  }
}

interface Period {
  readonly from: Date;
  readonly to: Date;
  readonly organizationId?: string;
}

/**
 * Returns the new price of each price version that calls of the period were charged at. A version belongs to the former
 * edition if its ID follows from that edition's price. Prices that the operator configured, contracts, and margins of the
 * settings are left out: the ledger doesn't record which of them a price is.
 */
async function editionBook(
  db: Database,
  period: Period,
  fromEdition: string,
  edition: string,
  io: OperatorIo,
): Promise<NamedBook> {
  // A price may have been confirmed after the calls, so the amounts without confirmations count too.
  const formers = [await openEdition(db, fromEdition), await openEdition(db, fromEdition, [])];
  const next = await openEdition(db, edition);
  const { catalogPricesOf } = io.apps.gateway;
  const prices = new Map<string, Price>();
  const { versions, others } = await findSalesByOrigin(db, period);
  for (const { id, model, price: sold, cost } of versions) {
    // The catalog has the provider's price. A percentage stays the same.
    const listedId = cost?.id ?? id;
    const found = formers
      .flatMap((former) => [...catalogPricesOf(model, former)])
      .find(([, { price, condition }]) => priceVersionId(model, price, condition) === listedId);
    const now = found === undefined ? undefined : catalogPricesOf(model, next).get(found[0]);
    if (now === undefined) continue;
    prices.set(id, cost === undefined ? now.price : keepMargin(sold, cost.price, now.price));
  }
  return { name: `${fromEdition} to ${edition}`, prices, keptSales: others };
}

async function openEdition(db: Database, name: string, decided?: readonly StoredConfirmation[]): Promise<Catalog> {
  const builtIn = openCatalog(readBuiltInCatalog());
  const text = await readEditionText(db, name);
  if (text === null && name !== builtIn.version) {
    throw new PriceBookRefused(`Unknown edition '${name}'. For a list, run tollgate prices history.`);
  }
  const confirmations = new Map((decided ?? (await listConfirmations(db))).map((one) => [one.model, one]));
  return openCatalog(text ?? readBuiltInCatalog(), { rule: "higher", confirmations });
}

/** Posts the reported differences, one adjustment per organization. */
async function post(
  db: Database,
  { from, to, prices }: Period & { readonly prices: string },
  lines: readonly ReRatedLine[],
  isSure: boolean,
  io: OperatorIo,
): Promise<number> {
  const differences = new Map<string, bigint>();
  for (const { organizationId, difference } of lines) {
    differences.set(organizationId, (differences.get(organizationId) ?? 0n) + difference);
  }
  const due = [...differences].filter(([, difference]) => difference !== 0n);
  if (due.length === 0) return EXIT.ok;
  if (!isSure && !(await askYes(io, `Post adjustments for ${due.length} organizations?`))) {
    return reportFailure(io, "Not posted. To post without a question, add --yes.", EXIT.usage);
  }
  let failures = 0;
  for (const [organizationId, difference] of due) {
    const outcome = await postReRating(db, { organizationId, from, to, prices, difference });
    if (outcome.kind === "posted" || outcome.kind === "replayed") {
      const state = outcome.kind === "posted" ? "posted" : "was posted before";
      io.stderr.write(`  ✓ ${organizationId}  ${formatUsd(-difference)} USD  ${outcome.transactionId} ${state}\n`);
      continue;
    }
    failures += 1;
    const reason =
      outcome.kind === "overlaps"
        ? `part of the period was re-rated before (${outcome.transactionId})`
        : "this period was posted before with another amount";
    reportFailure(io, `${organizationId}: ${reason}.`, EXIT.someFailed);
  }
  return failures === 0 ? EXIT.ok : EXIT.someFailed;
}

/** Parses a time. A date stands for the whole UTC day, so an end date means the start of the next day. */
function readTime(text: string | undefined, dayMs: number): Date | null {
  if (text === undefined) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs) || (!isDay && !/(Z|[+-]\d\d:\d\d)$/.test(text))) return null;
  return new Date(isDay ? atMs + dayMs : atMs);
}

function formatJson(from: Date, to: Date, lines: readonly ReRatedLine[]): string {
  return `${formatExactJson({ from, to, lines, ...sumUp(lines) })}\n`;
}

const KEPT_BY_EDITION = `
  Requests without a new price keep their cost. Those are requests at prices of another edition, at prices that you set,
  at fixed prices, or with a margin of the settings, which the ledger doesn't record, and requests of an organization
  whose percentage changed during the period.
`;

function formatTable(lines: readonly ReRatedLine[], hasEditions: boolean): string {
  const rows = lines.map((line) => {
    const unpriced = line.callsWithoutPrice === 0n ? "" : `  (${line.callsWithoutPrice} without a new price)`;
    return `  ${line.organizationId}  ${line.model}  ${line.calls} requests${unpriced}\n${formatAmounts(line)}`;
  });
  const note = hasEditions && lines.some(({ callsWithoutPrice }) => callsWithoutPrice > 0n) ? KEPT_BY_EDITION : "";
  return `${[...rows, `  total\n${formatAmounts(sumUp(lines))}`].join("\n")}\n${note}`;
}

type Sums = Pick<ReRatedLine, "charged" | "reRated" | "difference">;

function formatAmounts({ charged, reRated, difference }: Sums): string {
  return `    charged ${formatUsd(charged)}  re-rated ${formatUsd(reRated)}  difference ${formatUsd(difference)} USD`;
}

function sumUp(lines: readonly ReRatedLine[]): Sums {
  const sum = (name: keyof Sums) => lines.reduce((total, line) => total + line[name], 0n);
  return { charged: sum("charged"), reRated: sum("reRated"), difference: sum("difference") };
}
