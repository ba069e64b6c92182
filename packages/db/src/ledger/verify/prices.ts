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
  ],
};
