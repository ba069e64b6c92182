import type { NanoUsd } from "@tollgate/domain/money.ts";
import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { sql, type Transaction } from "kysely";
import type { Database } from "../connect.ts";
import type { Tables } from "../tables.generated.ts";
import { listSalesWithTerms, type RatedPeriod, type Sale } from "./sales.ts";
import { counterColumns } from "./unit-columns.ts";

/**
 * Alternative prices by price version, upstream model (`<provider>/<model>`), or group. The most specific match
 * applies. A model or a group matches only calls that were sold at the plain price: without a condition, at the
 * provider's price, and not at terms of the organization.
 */
export type PriceBook = ReadonlyMap<string, Price>;

interface ReRateOptions extends RatedPeriod {
  readonly prices: PriceBook;
  /** Sales that keep their cost, whatever the book contains. */
  readonly keptSales?: readonly Sale[];
}

/** Charged calls for one organization and model, at both sets of prices. */
export interface ReRatedLine {
  readonly organizationId: string;
  readonly model: string;
  readonly calls: bigint;
  /** Calls without a price in the alternative price book. These calls keep their cost. */
  readonly callsWithoutPrice: bigint;
  readonly charged: NanoUsd;
  readonly reRated: NanoUsd;
  /** Additional charge; negative if the new prices are lower. */
  readonly difference: NanoUsd;
}

/**
 * Computes the cost of a period's charged calls at different prices, rounding each call individually. The operator
 * still pays its share of each call. Doesn't change any data.
 */
export function reRate(db: Database, options: ReRateOptions): Promise<readonly ReRatedLine[]> {
  return db
    .transaction()
    .setAccessMode("read only")
    .execute(async (transaction) => {
      // For statements over hundreds of partitions, JIT compilation takes seconds, which is more than it saves.
      await sql`set local jit = off`.execute(transaction);
      return rate(transaction, options);
    });
}

async function rate(transaction: Transaction<Tables>, options: ReRateOptions): Promise<readonly ReRatedLine[]> {
  const { from, to, organizationId = null } = options;
  const book = JSON.stringify([...options.prices].map(([name, price]) => ({ id: name, ...asColumns(price) })));
  const kept = JSON.stringify(options.keptSales ?? []);
  const withTerms = JSON.stringify(await listSalesWithTerms(transaction, options));
  const rates = sql.join(billingUnits.map(({ priceColumn }) => sql.ref(`version.${priceColumn}`)));
  const { rows } = await sql<Record<keyof ReRatedLine, string>>`
    with book as (
      select given ->> 'id' as name, jsonb_populate_record(null::price_versions, given) as price
      from jsonb_array_elements(${book}::jsonb) as given
    ), with_terms as (
      select "organizationId" as organization_id, "priceVersionId" as price_version_id, "modelGroup" as model_group
      from jsonb_to_recordset(${withTerms}::jsonb) as sale ("organizationId" text, "priceVersionId" text, "modelGroup" text)
    ), kept as (
      select "organizationId" as organization_id, "priceVersionId" as price_version_id, "modelGroup" as model_group
      from jsonb_to_recordset(${kept}::jsonb) as sale ("organizationId" text, "priceVersionId" text, "modelGroup" text)
    ), plain as (
      -- A version of calls with callers' own keys names its cost, which is 0, or is free itself.
      select version.id, version.model from price_versions version
      where version.condition is null and version.cost_version_id is null and greatest(${rates}) > 0
    ), rated as (
      select event.organization_id, coalesce(version.model, event.model_group) as model, event.cost, chosen.name,
        case when chosen.name is null then event.cost else greatest(0, price_of_call(chosen.price,
          ${counterColumns("event")}) - event.loss) end as other_cost
      from usage_events event
      left join price_versions version on version.id = event.price_version_id
      left join kept on (kept.organization_id, kept.price_version_id, kept.model_group)
        = (event.organization_id, event.price_version_id, event.model_group)
      left join book by_version on by_version.name = event.price_version_id and kept.organization_id is null
      left join with_terms on (with_terms.organization_id, with_terms.price_version_id, with_terms.model_group)
        = (event.organization_id, event.price_version_id, event.model_group)
      left join plain on plain.id = event.price_version_id and with_terms.organization_id is null
        and kept.organization_id is null
      left join book by_model on by_model.name = plain.model
      left join book by_group on by_group.name = event.model_group and plain.id is not null
      cross join lateral (select coalesce(by_version.name, by_model.name, by_group.name) as name,
        case when by_version.name is not null then by_version.price when by_model.name is not null then by_model.price
          else by_group.price end as price) as chosen
      where event.day between (${from}::timestamptz at time zone 'UTC')::date and (${to}::timestamptz at time zone 'UTC')::date
        and time_of_event(event.id) >= ${from} and time_of_event(event.id) < ${to}
        and event.is_billed and event.state = 'settled'
        and (${organizationId}::text is null or event.organization_id = ${organizationId})
    )
    select organization_id as "organizationId", model, count(*)::text as calls,
      (count(*) filter (where name is null))::text as "callsWithoutPrice", sum(cost)::text as charged,
      sum(other_cost)::text as "reRated", (sum(other_cost) - sum(cost))::text as difference
    from rated
    group by organization_id, model
    order by organization_id, model`.execute(transaction);
  return rows.map((row) => ({
    organizationId: row.organizationId,
    model: row.model,
    calls: BigInt(row.calls),
    callsWithoutPrice: BigInt(row.callsWithoutPrice),
    charged: BigInt(row.charged),
    reRated: BigInt(row.reRated),
    difference: BigInt(row.difference),
  }));
}

function asColumns(price: Price): Record<string, string | null> {
  const text = (amount: bigint | null) => amount?.toString() ?? null;
  return {
    ...Object.fromEntries(billingUnits.map((unit) => [unit.priceColumn, text(price[unit.price])])),
    tier_above: price.tier?.aboveInputTokens.toString() ?? null,
    tier_input_pico: text(price.tier?.input ?? null),
    tier_output_pico: text(price.tier?.output ?? null),
    tier_cache_read_pico: text(price.tier?.cacheRead ?? null),
    tier_cache_write_pico: text(price.tier?.cacheWrite ?? null),
    tier_long_cache_write_pico: text(price.tier?.longCacheWrite ?? null),
  };
}
