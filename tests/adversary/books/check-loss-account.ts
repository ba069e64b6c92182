import type { Database } from "@tollgate/db/connect.ts";
import { sql } from "kysely";
import { readLossAccount } from "./call-rows.ts";

/** The loss account holds exactly what the usage rows say was lost. */
export async function checkLossAccount(books: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ lost: bigint | null }>`
    select sum((to_jsonb(call) ->> 'loss')::bigint)::bigint as lost from usage_events call`.execute(books);
  const inRows = rows[0]?.lost ?? 0n;
  const inAccount = (await readLossAccount(books)) ?? 0n;
  return inRows === inAccount ? [] : [`usage rows lost ${inRows}, the account sys:loss has ${inAccount}`];
}
