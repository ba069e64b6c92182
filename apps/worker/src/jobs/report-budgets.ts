import { reportSpentBudgets } from "@tollgate/db/outbox/report-spent-budgets.ts";
import type { JobContext } from "./job-context.ts";

/** Reports each key with an exhausted budget once. */
export async function reportBudgets({ db }: JobContext): Promise<void> {
  await reportSpentBudgets(db);
}
