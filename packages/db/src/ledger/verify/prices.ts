import { sql } from "kysely";
import { type Invariant, within } from "./invariant.ts";

export const costsFollowPrices: Invariant = {
  id: "R10",
  title: "each request costs its units at its price version, minus the cost that the operator absorbed",
  checked: "events",
  differences: (scope) => [
    sql`
      with priced as (
        select event.organization_id, event.id, event.cost + event.loss as cost, event.price_version_id,
          case when price.id is not null then price_of_call(price, event.input_tokens, event.cache_read_tokens,
            event.cache_write_tokens, event.output_tokens, event.reasoning_tokens, event.audio_input_tokens,
            event.audio_output_tokens, event.characters, event.audio_ms, event.images, event.searches) end as expected
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
