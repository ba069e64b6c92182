import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Adds an event for each key whose budget has run out and whose owner was not told yet; returns how many. */
export async function reportSpentBudgets(db: Database): Promise<number> {
  const { rows } = await sql<{ told: number }>`select report_spent_budgets() as told`.execute(db);
  return rows[0]?.told ?? 0;
}
