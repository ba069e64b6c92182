import type { Database } from "@tollgate/db/connect.ts";
import { sql } from "kysely";

/** The operator's loss on a call's attempts. */
export interface AttemptLoss {
  readonly cost: bigint;
  readonly reasons: string;
}

/** Returns the losses on attempts, by call ID. The result is empty if the schema does not record them yet. */
export async function readAttemptLosses(
  books: Database,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, AttemptLoss>> {
  if (eventIds.length === 0 || !(await recordsLosses(books))) return new Map();
  const { rows } = await sql<{ id: string; cost: bigint; reasons: string }>`
    select event_id as id, sum(cost)::bigint as cost, string_agg(distinct reason, ', ') as reasons
    from lost_attempts where event_id = any(${eventIds}::uuid[]) group by event_id`.execute(books);
  return new Map(rows.map(({ id, cost, reasons }) => [id, { cost, reasons }]));
}

/** Checks that the loss account paid exactly the losses recorded in the usage rows and their attempts. */
export async function checkLossAccount(books: Database): Promise<readonly string[]> {
  if (!(await recordsLosses(books))) return [];
  const { rows } = await sql<{ recorded: bigint; posted: bigint }>`
    select
      (select coalesce(sum((to_jsonb(call) ->> 'loss')::bigint), 0) from usage_events call)::bigint
        + (select coalesce(sum(cost), 0) from lost_attempts)::bigint as recorded,
      (select coalesce(sum(case when source = 'sys:loss' then amount else -amount end), 0)
         from ledger_postings where 'sys:loss' in (source, destination))::bigint as posted`.execute(books);
  const [{ recorded, posted } = { recorded: 0n, posted: 0n }] = rows;
  return recorded === posted
    ? []
    : [`${recorded} nano-USD are recorded as lost, but the account sys:loss paid ${posted}`];
}

async function recordsLosses(books: Database): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('lost_attempts') is not null as exists`.execute(books);
  return rows[0]?.exists === true;
}
