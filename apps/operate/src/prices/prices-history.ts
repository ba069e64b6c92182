import { parseArgs } from "node:util";
import { listEditions } from "@tollgate/db/catalog/editions.ts";
import { EXIT } from "@tollgate/runtime/exit.ts";
import { formatExactJson } from "../ledger/exact-json.ts";
import type { OperatorIo } from "../operator-io.ts";
import { PRICE_OPTIONS, PRICE_OPTIONS_USAGE, withPrices } from "./with-prices.ts";

const USAGE = `List the catalog editions that were applied, the latest first.

  tollgate prices history

${PRICE_OPTIONS_USAGE}
`;

const SHOWN_EDITIONS = 1_000;

/** `tollgate prices history`: lists the editions in the database and the one in effect. */
export async function pricesHistory(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: PRICE_OPTIONS });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  return withPrices(
    {
      config: values.config ?? null,
      data: values.data ?? null,
      work: async ({ db, catalog }) => {
        const editions = await listEditions(db, SHOWN_EDITIONS);
        if (values.json) {
          io.stdout.write(`${formatExactJson({ inEffect: catalog.version, editions })}\n`);
          return EXIT.ok;
        }
        for (const { edition, pricesAsOf, signedBy, origin, isPinned, appliedAt } of editions) {
          const signature = signedBy === null ? "unsigned" : `signed ${signedBy}`;
          const pinned = isPinned ? ", pinned" : "";
          io.stdout.write(
            `  ${edition}  prices of ${pricesAsOf}  applied ${appliedAt.toISOString()}  ${signature}${pinned}  ${origin}\n`,
          );
        }
        io.stdout.write(`  in effect: ${catalog.version}, prices of ${catalog.pricesAsOf}\n`);
        return EXIT.ok;
      },
    },
    io,
  );
}
