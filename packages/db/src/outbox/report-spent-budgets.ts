import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Adds an event for each key whose budget is exhausted and not reported yet. Returns how many. */
export async function reportSpentBudgets(db: Database): Promise<number> {
  const { rows } = await sql<{ reported: number }>`select report_spent_budgets() as reported`.execute(db);
  return rows[0]?.reported ?? 0;
}
