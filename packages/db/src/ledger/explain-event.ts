import { crockfordToUuid } from "@tollgate/domain/ids.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type CountedUnit, countedUnits, type TokenUnit, tokenUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** A settled call with all of its ledger effects. */
export interface SettledCall {
  readonly kind: "settled";
  readonly id: string;
  readonly at: Date;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  readonly requestId: string;
  readonly endpoint: string;
  readonly modelGroup: string;
  readonly provider: string | null;
  readonly deploymentId: string | null;
  readonly status: string;
  readonly httpStatus: number;
  readonly usageSource: string;
  readonly priceVersionId: string | null;
  readonly priceModel: string | null;
  /** What the provider served at this price; null if the price has no condition. */
  readonly priceCondition: string | null;
  /** Count and price per unit class; empty if the price version is unknown. */
  readonly units: readonly UnitLine[];
  readonly cost: NanoUsd;
  /** Version of the provider's price; null if the request was sold at it. */
  readonly costVersionId: string | null;
  /** What the provider served at its price; null if that price has no condition. */
  readonly costCondition: string | null;
  /** What the provider's prompt cache saved; null if the price version is unknown. */
  readonly cacheSaved: NanoUsd | null;
  /** What the provider charges for the same units; null if the request was sold at the provider's price. */
  readonly providerCost: NanoUsd | null;
  /** What the provider said that it charges; null if its response didn't say. */
  readonly reportedCost: NanoUsd | null;
  /** The operator's share of the price. */
  readonly loss: NanoUsd;
  /** Earlier attempts that the operator paid for. */
  readonly lostAttempts: readonly ExplainedLoss[];
  readonly isBilled: boolean;
  readonly hold: NanoUsd;
  readonly fromLease: NanoUsd;
  readonly nodeId: string;
  readonly epoch: number;
  readonly leaseState: string | null;
  readonly endedAt: Date;
  readonly settledAt: Date;
  readonly transaction: UsageTransaction | null;
  readonly budgets: readonly TouchedBudget[];
  readonly rollupBucketAt: Date;
}

export interface UnitLine {
  readonly unit: TokenUnit["price"] | CountedUnit["name"];
  readonly count: bigint;
  /** Price per unit, or per second for audio milliseconds. */
  readonly picoPerUnit: bigint;
  /** Amount in pico-USD, which can have a fraction for audio milliseconds. */
  readonly pico: string;
}

interface ExplainedLoss {
  readonly reason: string;
  readonly deploymentId: string;
  readonly provider: string;
  readonly priceVersionId: string;
  readonly cost: NanoUsd;
  /** ID of the loss entry; null if the call is not billed. */
  readonly transactionId: string | null;
}

interface UsageTransaction {
  readonly id: string;
  readonly createdAt: Date;
  readonly source: string;
  readonly destination: string;
  readonly amount: NanoUsd;
  readonly balanceAfter: NanoUsd;
  /**
   * Number of calls that the entry covers, including this call. `otherCalls` lists the first few of the other calls.
   */
  readonly calls: bigint;
  readonly otherCalls: readonly string[];
}

interface TouchedBudget {
  readonly scope: string;
  readonly scopeId: string;
  readonly startsAt: Date;
  /** Null for a budget without a period. */
  readonly endsAt: Date | null;
  readonly amount: NanoUsd;
  readonly spent: NanoUsd;
}

export type EventExplanation =
  | SettledCall
  | {
      readonly kind: "parked";
      readonly id: string;
      readonly organizationId: string | null;
      readonly reason: string;
      readonly parkedAt: Date;
      readonly redrivenAt: Date | null;
      readonly event: unknown;
    }
  | { readonly kind: "ambiguous"; readonly ids: readonly string[] }
  | { readonly kind: "unknown" };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHOWN_CALLS = 10;

/** Finds a call by its ID (in either format) or by the caller's own label, and returns all ledger data about it. */
export async function explainEvent(db: Database, reference: string): Promise<EventExplanation> {
  const id = readEventId(reference);
  const ids = id === null ? await findByLabel(db, reference) : [id];
  if (ids.length > 1) return { kind: "ambiguous", ids };
  const [only] = ids;
  if (only === undefined) return { kind: "unknown" };
  return (await readSettled(db, only)) ?? (await readParked(db, only)) ?? { kind: "unknown" };
}

function readEventId(reference: string): string | null {
  if (UUID.test(reference)) return reference.toLowerCase();
  return reference.startsWith("use_") ? crockfordToUuid(reference.slice("use_".length)) : null;
}

/**
 * Finds the newest calls with that label. Labels have no index, so this function scans from the newest day until it has
 * enough calls.
 */
async function findByLabel(db: Database, label: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    (select id from usage_events where request_id = ${label} order by day desc, id desc limit ${SHOWN_CALLS})
    union
    (select id from parked_events where event ->> 'requestId' = ${label} order by id desc limit ${SHOWN_CALLS})
    order by id desc`.execute(db);
  return rows.map((row) => row.id);
}

type SettledRow = Omit<SettledCall, "kind" | "units" | "lostAttempts" | "transaction" | "budgets"> & {
  readonly transactionId: string | null;
};

async function readSettled(db: Database, id: string): Promise<SettledCall | null> {
  const { rows } = await sql<SettledRow>`
    select event.id, time_of_event(event.id) as at, event.organization_id as "organizationId",
      organizations.name as "organizationName", event.team_id as "teamId", teams.name as "teamName",
      event.key_id as "keyId", event.user_id as "userId", event.request_id as "requestId", event.endpoint,
      event.model_group as "modelGroup", event.provider, event.deployment_id as "deploymentId", event.status,
      event.http_status as "httpStatus", event.usage_source as "usageSource",
      event.price_version_id as "priceVersionId", price.model as "priceModel",
      price.condition as "priceCondition", event.cost, event.provider_cost as "providerCost",
      event.reported_cost as "reportedCost", price.cost_version_id as "costVersionId",
      bought.condition as "costCondition",
      case when price.id is not null then cache_savings(event, price) end as "cacheSaved", event.loss, event.is_billed as "isBilled",
      event.hold, event.from_lease as "fromLease", event.node_id as "nodeId", event.epoch, lease.state as "leaseState",
      event.ended_at as "endedAt", event.settled_at as "settledAt", event.transaction_id as "transactionId",
      date_bin('15 minutes', time_of_event(event.id), 'epoch') as "rollupBucketAt"
    from usage_events event
    left join organizations on organizations.id = event.organization_id
    left join teams on teams.id = event.team_id
    left join price_versions price on price.id = event.price_version_id
    left join price_versions bought on bought.id = price.cost_version_id
    left join credit_leases lease on lease.organization_id = event.organization_id and lease.node_id = event.node_id
      and lease.epoch = event.epoch
    where event.day = day_of_event(${id}::uuid) and event.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { transactionId, ...call } = row;
  return {
    kind: "settled",
    ...call,
    units: await readUnits(db, id),
    lostAttempts: await readLostAttempts(db, id),
    transaction: transactionId === null ? null : await readTransaction(db, transactionId, id),
    budgets: await readBudgets(db, id),
  };
}

async function readLostAttempts(db: Database, id: string): Promise<readonly ExplainedLoss[]> {
  const { rows } = await sql<ExplainedLoss>`
    select reason, deployment_id as "deploymentId", provider, price_version_id as "priceVersionId", cost,
      transaction_id as "transactionId"
    from lost_attempts
    where day = day_of_event(${id}::uuid) and event_id = ${id}
    order by seq`.execute(db);
  return rows;
}

/** Lines of the units other than tokens, after those of tokens. */
const countedLines = sql.join(
  countedUnits.map(
    ({ name, column, priceColumn, countsPerPrice }, index) => sql`
      (${sql.lit(tokenUnits.length + 1 + index)}, ${sql.lit(name)}, ${sql.ref(`event.${column}`)},
        coalesce(${sql.ref(`price.${priceColumn}`)}, 0), ${sql.lit(countsPerPrice)})`,
  ),
);

async function readUnits(db: Database, id: string): Promise<readonly UnitLine[]> {
  const { rows } = await sql<UnitLine>`
    select line.unit, line.count, line."picoPerUnit",
      trim_scale(line.count::numeric * line."picoPerUnit" / line.counts_per_price)::text as pico
    from usage_events event join price_versions price on price.id = event.price_version_id
    cross join lateral (
      select event.input_tokens + event.cache_read_tokens + event.cache_write_tokens > price.tier_above as is_long
    ) as prompt
    cross join lateral (
      select coalesce(case when is_long then price.tier_input_pico end, price.input_pico) as input,
        coalesce(case when is_long then price.tier_output_pico end, price.output_pico) as output,
        coalesce(case when is_long then price.tier_cache_read_pico end, price.cache_read_pico) as cache_read,
        coalesce(case when is_long then price.tier_cache_write_pico end, price.cache_write_pico) as cache_write,
        coalesce(case when is_long then price.tier_long_cache_write_pico end, price.long_cache_write_pico)
          as long_cache_write
    ) as at
    cross join lateral (values
      (1, 'input', event.input_tokens - event.audio_input_tokens, at.input, 1),
      (2, 'audioInput', event.audio_input_tokens, coalesce(price.audio_input_pico, at.input), 1),
      (3, 'cacheRead', event.cache_read_tokens, coalesce(at.cache_read, at.input), 1),
      (4, 'cacheWrite', event.cache_write_tokens - event.long_cache_write_tokens, coalesce(at.cache_write, at.input), 1),
      (5, 'longCacheWrite', event.long_cache_write_tokens,
        coalesce(at.long_cache_write, at.cache_write, at.input), 1),
      (6, 'output', event.output_tokens - event.reasoning_tokens - event.audio_output_tokens, at.output, 1),
      (7, 'audioOutput', event.audio_output_tokens, coalesce(price.audio_output_pico, at.output), 1),
      (8, 'reasoning', event.reasoning_tokens, coalesce(price.reasoning_pico, at.output), 1),
      ${countedLines}
    ) as line (position, unit, count, "picoPerUnit", counts_per_price)
    where event.day = day_of_event(${id}::uuid) and event.id = ${id}
    order by line.position`.execute(db);
  return rows;
}

async function readTransaction(db: Database, transactionId: string, eventId: string): Promise<UsageTransaction | null> {
  const { rows } = await sql<UsageTransaction>`
    select entry.id, entry.created_at as "createdAt", posting.source, posting.destination, posting.amount,
      entry.balance_after as "balanceAfter",
      (select count(*) from usage_events where transaction_id = entry.id) as calls,
      array(select id::text from usage_events where transaction_id = entry.id and id <> ${eventId} order by id
        limit ${SHOWN_CALLS}) as "otherCalls"
    from ledger_transactions entry join ledger_postings posting on posting.transaction_id = entry.id
    where entry.id = ${transactionId}
    order by posting.seq
    limit 1`.execute(db);
  return rows[0] ?? null;
}

async function readBudgets(db: Database, id: string): Promise<readonly TouchedBudget[]> {
  const { rows } = await sql<TouchedBudget>`
    select budget.scope, budget.scope_id as "scopeId", budget.starts_at as "startsAt",
      nullif(budget.ends_at, 'infinity') as "endsAt", budget.amount, budget.spent
    from usage_events event
    cross join lateral (values ('key', event.key_id), ('team', event.team_id), ('user', event.user_id),
      ('organization', event.organization_id)) as spender (scope, scope_id)
    join budget_windows budget on budget.organization_id = event.organization_id and budget.scope = spender.scope
      and budget.scope_id = spender.scope_id and time_of_event(event.id) >= budget.starts_at
      and time_of_event(event.id) < budget.ends_at
    where event.day = day_of_event(${id}::uuid) and event.id = ${id}
    order by budget.scope, budget.starts_at`.execute(db);
  return rows;
}

async function readParked(db: Database, id: string): Promise<EventExplanation | null> {
  const { rows } = await sql<Omit<Extract<EventExplanation, { kind: "parked" }>, "kind">>`
    select id, organization_id as "organizationId", reason, parked_at as "parkedAt", redriven_at as "redrivenAt", event
    from parked_events
    where id = ${id}`.execute(db);
  return rows[0] === undefined ? null : { kind: "parked", ...rows[0] };
}
