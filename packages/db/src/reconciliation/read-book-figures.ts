import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** What an operator watches of the books, over all organizations. */
export interface BookFigures {
  readonly blockedTeams: number;
  /** How many purchases are in each state that any is in. */
  readonly orders: Readonly<Record<string, number>>;
  /** Payments that arrived a while ago and are nobody's credit: of a purchase we know, and of none. */
  readonly paidNotCredited: number;
  readonly paidForUnknown: number;
  /** Credit that gateways have taken in advance and neither used nor given back. */
  readonly leased: NanoUsd;
  /** What the operator has paid for calls since the first one, by the loss account. */
  readonly operatorLoss: NanoUsd;
  /** How many leases are in each state that any is in. */
  readonly leases: Readonly<Record<string, number>>;
  /** Gateway processes that have sent a sign of life. */
  readonly gateways: number;
  /** How old the oldest usage is that a gateway has and the books have not. */
  readonly rollupLagSeconds: number;
  /** Usage that could not be settled and waits for somebody. */
  readonly parked: number;
  /** Events that subscribers and the operator have not been told of yet. */
  readonly undelivered: number;
  readonly databaseBytes: bigint;
  /** Whether the last attempt to bring the database to a newer schema failed. */
  readonly hasFailedMigration: boolean;
}

/** How long a payment may be on its way through our own hands. */
const CREDIT_LIMIT = "10 minutes";
/** A gateway that was silent for longer is gone: its journal is `doctor`'s and `ledger verify`'s to find. */
const REMEMBERED = "1 day";

/** The figures as they are now. The transaction must see every organization. */
export async function readBookFigures(transaction: TenantTransaction): Promise<BookFigures> {
  const { rows } = await sql<
    Omit<BookFigures, "leased" | "operatorLoss" | "databaseBytes"> &
      Record<"leased" | "operatorLoss" | "databaseBytes", string>
  >`
  with late as (
    select event.purchase_id from webhook_events event left join purchases purchase on purchase.id = event.purchase_id
     where event.kind = 'paid' and event.received_at < now() - ${CREDIT_LIMIT}::interval
       and (event.purchase_id is null or purchase.paid_at is null)
  ), open_leases as (
    select state, outstanding from credit_leases where state in ('active', 'lapsed', 'closing')
  )
  select
    (select count(*)::int from teams where status = 'blocked' and deleted_at is null) as "blockedTeams",
    (select coalesce(json_object_agg(status, count), '{}')
       from (select status, count(*)::int from purchases group by status) as of_status) as orders,
    (select count(distinct purchase_id)::int from late) as "paidNotCredited",
    (select count(*)::int from late where purchase_id is null) as "paidForUnknown",
    (select coalesce(sum(outstanding), 0)::text from open_leases) as leased,
    (select coalesce(sum(amount), 0)::text from ledger_postings where source = 'sys:loss') as "operatorLoss",
    (select coalesce(json_object_agg(state, count), '{}')
       from (select state, count(*)::int from open_leases group by state) as of_state) as leases,
    (select count(*)::int from gateway_nodes where alive_until > now()) as gateways,
    (select coalesce(extract(epoch from now() - min(oldest_unconfirmed_at)), 0)::float8 from gateway_nodes
      where alive_until > now() - ${REMEMBERED}::interval) as "rollupLagSeconds",
    (select count(*)::int from parked_events where redriven_at is null) as parked,
    (select count(*)::int from outbox where delivered_at is null) as undelivered,
    exists (select from schema_migration_failures) as "hasFailedMigration",
    pg_database_size(current_database())::text as "databaseBytes"`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new Error("a query without a table always has a row");
  return {
    ...row,
    leased: BigInt(row.leased),
    operatorLoss: BigInt(row.operatorLoss),
    databaseBytes: BigInt(row.databaseBytes),
  };
}
