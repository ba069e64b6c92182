import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Adds an event for each key whose exhausted budget has not been reported yet. Returns the number of events. */
export async function reportSpentBudgets(db: Database): Promise<number> {
  const { rows } = await sql<{ reported: number }>`select report_spent_budgets() as reported`.execute(db);
  return rows[0]?.reported ?? 0;
}
