import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Ledger figures for the operator, over all organizations. */
export interface LedgerFigures {
  readonly blockedTeams: number;
  /** Number of purchases per status. */
  readonly orders: Readonly<Record<string, number>>;
  /**
   * Number of payments for a known purchase that were received more than 10 minutes ago and not credited.
   * `paidForUnknown` counts payments without a known purchase.
   */
  readonly paidNotCredited: number;
  readonly paidForUnknown: number;
  /** Credit that is leased to gateways and has been neither used nor returned. */
  readonly leased: NanoUsd;
  /** Balance of the loss account: the total that the operator has paid for calls. */
  readonly operatorLoss: NanoUsd;
  /** Number of leases per state. */
  readonly leases: Readonly<Record<string, number>>;
  /** Gateway processes with a recent heartbeat. */
  readonly gateways: number;
  /** Age of the oldest usage that a gateway has not delivered to the ledger. */
  readonly rollupLagSeconds: number;
  /** Usage events that could not be settled and are waiting for review. */
  readonly parked: number;
  /** Outbox events that have not been delivered. */
  readonly undelivered: number;
  /** Age of the oldest ledger checkpoint that a sink doesn't have; 0 if there is none. */
  readonly checkpointLagSeconds: number;
  /** Failed attempts to deliver checkpoints, per sink. */
  readonly checkpointFailures: Readonly<Record<string, number>>;
  /** Checkpoints that were deleted because a sink refused them for 90 days, per sink. */
  readonly checkpointsDropped: Readonly<Record<string, number>>;
  readonly databaseBytes: bigint;
  /** True if the last schema migration failed. */
  readonly hasFailedMigration: boolean;
}

/** Maximum time between receiving a payment and crediting it. */
const CREDIT_LIMIT = "10 minutes";
/** Time without a heartbeat after which a gateway is ignored. `doctor` and `ledger verify` find its journal. */
const REMEMBERED = "1 day";

/** Reads the current figures. The transaction must see every organization. */
export async function readLedgerFigures(transaction: TenantTransaction): Promise<LedgerFigures> {
  const { rows } = await sql<
    Omit<LedgerFigures, "leased" | "operatorLoss" | "databaseBytes"> &
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
    (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from ledger_checkpoints
      where number > (select min(delivered_through) from checkpoint_sinks)) as "checkpointLagSeconds",
    (select coalesce(json_object_agg(sink, failures), '{}') from checkpoint_sinks) as "checkpointFailures",
    (select coalesce(json_object_agg(sink, dropped), '{}') from checkpoint_sinks) as "checkpointsDropped",
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
