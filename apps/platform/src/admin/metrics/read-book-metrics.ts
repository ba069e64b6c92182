import { readLedgerFigures } from "@tollgate/db/reconciliation/read-ledger-figures.ts";
import { findLastReport } from "@tollgate/db/reconciliation/reports.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { writeBookMetrics } from "./write-book-metrics.ts";

/** Returns the ledger metrics as text. The transaction must have access to every organization. */
export async function readBookMetrics(transaction: TenantTransaction): Promise<string> {
  const figures = await readLedgerFigures(transaction);
  return writeBookMetrics(figures, await findLastReport(transaction));
}
