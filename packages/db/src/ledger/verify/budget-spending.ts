import { sql } from "kysely";
import { type Invariant, within } from "./invariant.ts";

/**
 * Joins windows and calls by day first, so that a year of short windows isn't compared with a year of calls. For
 * dropped rows, the spend is read from the 15-minute rollups, which don't record users. User windows that include
 * dropped rows are therefore checked only for spend that is too low. Other windows that include dropped rows are
 * checked only if they start and end on 15-minute boundaries.
 */
export const spentEqualsCalls: Invariant = {
  id: "R9",
  title: "the spend of each budget window equals the cost of the requests in its scope and time range",
  checked: "budgetWindows",
  differences: (scope) => [
    sql`
      with recursive kept_days as (
        select min(day) as day from usage_events
        union all
        select (select min(day) from usage_events where day > kept_days.day) from kept_days where kept_days.day is not null
      ), windows as (
        select organization_id, scope, scope_id, starts_at, ends_at, spent,
          ${scope.keptSince}::date::timestamp at time zone 'UTC' as kept_since
        from budget_windows
        where ${within(scope, "organization_id")}
      ), window_days as (
        select windows.*, kept_days.day
        from windows join kept_days
          on kept_days.day >= (windows.starts_at at time zone 'UTC')::date
          and (not isfinite(windows.ends_at) or kept_days.day <= (windows.ends_at at time zone 'UTC')::date)
      ), from_rows as (
        select windows.organization_id, windows.scope, windows.scope_id, windows.starts_at, sum(event.cost) as cost
        from usage_events event
        cross join lateral (values ('key', event.key_id), ('team', event.team_id), ('user', event.user_id),
          ('organization', event.organization_id)) as spender (scope, scope_id)
        join window_days windows on windows.organization_id = event.organization_id and windows.scope = spender.scope
          and windows.scope_id = spender.scope_id and windows.day = event.day
        where event.cost > 0 and ${within(scope, "event.organization_id")}
          and time_of_event(event.id) >= windows.starts_at and time_of_event(event.id) < windows.ends_at
        group by windows.organization_id, windows.scope, windows.scope_id, windows.starts_at
      ), from_rollups as (
        select windows.organization_id, windows.scope, windows.scope_id, windows.starts_at, sum(rollup.cost) as cost
        from windows join usage_rollups rollup on rollup.organization_id = windows.organization_id
          and rollup.bucket_at < windows.kept_since and rollup.bucket_at >= windows.starts_at
          and rollup.bucket_at < windows.ends_at
          and windows.scope_id = case windows.scope when 'key' then rollup.key_id when 'team' then rollup.team_id
            when 'organization' then rollup.organization_id end
        where windows.starts_at < windows.kept_since
        group by windows.organization_id, windows.scope, windows.scope_id, windows.starts_at
      ), expected as (
        select windows.*, coalesce(from_rows.cost, 0) + coalesce(from_rollups.cost, 0) as cost,
          starts_at >= kept_since
            or (scope <> 'user' and date_bin('15 minutes', starts_at, 'epoch') = starts_at
              and (not isfinite(ends_at) or date_bin('15 minutes', ends_at, 'epoch') = ends_at)) as is_exact
        from windows
        left join from_rows using (organization_id, scope, scope_id, starts_at)
        left join from_rollups using (organization_id, scope, scope_id, starts_at)
      )
      select organization_id, concat_ws(' ', scope, scope_id, 'from', starts_at) as subject, cost::text as expected,
        spent::text as found, spent - cost as amount
      from expected
      where (is_exact and spent <> cost) or (not is_exact and starts_at < kept_since and scope = 'user' and spent < cost)`,
  ],
};
