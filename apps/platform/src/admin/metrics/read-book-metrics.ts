import { readBookFigures } from "@tollgate/db/reconciliation/read-book-figures.ts";
import { findLastReport } from "@tollgate/db/reconciliation/reports.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { writeBookMetrics } from "./write-book-metrics.ts";

/** What to watch of the books, as they are now. The transaction must see every organization. */
export async function readBookMetrics(transaction: TenantTransaction): Promise<string> {
  const figures = await readBookFigures(transaction);
  return writeBookMetrics(figures, await findLastReport(transaction));
}
