import { reportSpentBudgets } from "@tollgate/db/outbox/report-spent-budgets.ts";
import type { JobContext } from "./job-context.ts";

/** Tells of keys whose budgets have run out, each once. */
export async function reportBudgets({ db }: JobContext): Promise<void> {
  await reportSpentBudgets(db);
}
