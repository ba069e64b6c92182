import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type PriceBook, type ReRatedLine, reRate } from "@tollgate/db/ledger/re-rate.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { formatExactJson } from "./exact-json.ts";
import { PRICE_BOOK_USAGE, PriceBookRefused, readPriceBook } from "./ledger-price-book.ts";

const USAGE = `Show what the charged requests of a period would have cost with different prices. Makes no changes.

  tollgate ledger re-rate --from 2026-11-01 --to 2026-11-30 --prices prices.yaml

  --from TIME            Start, such as 2026-11-01 (UTC) or 2026-11-01T10:00:00Z
  --to TIME              End; a date includes the whole day, a time is exclusive
  --prices FILE          Price book with the different prices
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
  if (from === null || to === null || from >= to || values.prices === undefined) {
    return reportFailure(
      io,
      `--from, --to, and --prices are required, and --from must be before --to.\n\n${USAGE}`,
      EXIT.usage,
    );
  }
  let prices: PriceBook;
  try {
    prices = readPriceBook(resolve(io.cwd, values.prices));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof PriceBookRefused) && code !== "ENOENT") throw error;
    return reportFailure(io, message, EXIT.usage);
  }
  const organization = values.organization === undefined ? {} : { organizationId: values.organization };
  return withLedger(
    {
      data: values.data ?? null,
      role: "tollgate_worker",
      work: async ({ db }) => {
        const lines = await reRate(db, { from, to, prices, ...organization });
        io.stdout.write(values.json ? formatJson(from, to, lines) : formatTable(lines));
        return EXIT.ok;
      },
    },
    io,
  );
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

function formatTable(lines: readonly ReRatedLine[]): string {
  const rows = lines.map((line) => {
    const unpriced = line.callsWithoutPrice === 0n ? "" : `  (${line.callsWithoutPrice} without a new price)`;
    return `  ${line.organizationId}  ${line.model}  ${line.calls} requests${unpriced}\n${formatAmounts(line)}`;
  });
  return `${[...rows, `  total\n${formatAmounts(sumUp(lines))}`].join("\n")}\n`;
}

type Sums = Pick<ReRatedLine, "charged" | "reRated" | "difference">;

function formatAmounts({ charged, reRated, difference }: Sums): string {
  return `    charged ${formatUsd(charged)}  re-rated ${formatUsd(reRated)}  difference ${formatUsd(difference)} USD`;
}

function sumUp(lines: readonly ReRatedLine[]): Sums {
  const sum = (name: keyof Sums) => lines.reduce((total, line) => total + line[name], 0n);
  return { charged: sum("charged"), reRated: sum("reRated"), difference: sum("difference") };
}
