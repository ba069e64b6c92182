import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** What an operator watches of the books, over all organizations. */
export interface BookFigures {
  readonly blockedTeams: number;
  /** How many purchases are in each state that any is in. */
  readonly orders: Readonly<Record<string, number>>;
  /** Credit that gateways have taken in advance and neither used nor given back. */
  readonly leased: NanoUsd;
  /** Events that subscribers and the operator have not been told of yet. */
  readonly undelivered: number;
}

/** The figures as they are now. The transaction must see every organization. */
export async function readBookFigures(transaction: TenantTransaction): Promise<BookFigures> {
  const { rows } = await sql<{
    blocked: number;
    leased: string;
    undelivered: number;
    orders: Record<string, number>;
  }>`select
    (select count(*)::int from teams where status = 'blocked' and deleted_at is null) as blocked,
    (select coalesce(sum(outstanding), 0)::text from credit_leases where state in ('active', 'lapsed', 'closing')) as leased,
    (select count(*)::int from outbox where delivered_at is null) as undelivered,
    (select coalesce(json_object_agg(status, count), '{}')
       from (select status, count(*)::int from purchases group by status) as of_status) as orders`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new Error("a query without a table always has a row");
  return { blockedTeams: row.blocked, orders: row.orders, leased: BigInt(row.leased), undelivered: row.undelivered };
}
