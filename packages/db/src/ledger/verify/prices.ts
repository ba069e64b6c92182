import { sql } from "kysely";
import { counterColumns } from "../unit-columns.ts";
import { type Invariant, within } from "./invariant.ts";

export const costsFollowPrices: Invariant = {
  id: "R10",
  title: "each request costs its units at its price version, minus the cost that the operator absorbed",
  checked: "events",
  differences: (scope) => [
    sql`
      with priced as (
        select event.organization_id, event.id, event.cost + event.loss as cost, event.price_version_id,
          case when price.id is not null then price_of_call(price, ${counterColumns("event")}) end as expected
        from usage_events event left join price_versions price on price.id = event.price_version_id
        where ${within(scope, "event.organization_id")}
      )
      select organization_id, id::text as subject,
        coalesce(expected::text, '0, because price version ' || coalesce(price_version_id, 'none') || ' is unknown') as expected,
        cost::text as found, cost - coalesce(expected, 0) as amount
      from priced
      where cost <> coalesce(expected, 0)`,
    // A price with a margin names the version of the provider's price for the same units.
    sql`
      with bought as (
        select event.organization_id, event.id, event.provider_cost,
          price_of_call(provider_price, ${counterColumns("event")}) as expected
        from usage_events event
        left join price_versions price on price.id = event.price_version_id
        left join price_versions provider_price on provider_price.id = price.cost_version_id
        where ${within(scope, "event.organization_id")} and (event.provider_cost is not null or provider_price.id is not null)
      )
      select organization_id, id::text as subject, coalesce(expected::text, 'no provider cost') as expected,
        coalesce(provider_cost::text, 'none') as found, null::bigint as amount
      from bought
      where provider_cost is distinct from expected`,
    // A version whose contents don't match its ID was changed after calls were charged at its price.
    sql`
      select null::text as organization_id, price.id as subject, price_version_id(price) as expected, price.id as found,
        null::bigint as amount
      from price_versions price
      where price.id <> price_version_id(price)`,
  ],
};
