import { sql } from "kysely";
import { changedTerms, unequalRemainders } from "./granted-lots.ts";
import { type Invariant, within } from "./invariant.ts";

export const lotsAndClosedDaysHold: Invariant = {
  id: "R11",
  title:
    "each lot of granted credit has the terms of its grant and what usage left of it, and each closed day matches its requests",
  checked: "lotsAndSeals",
  differences: (scope) => [
    sql`
      select lot.organization_id, lot.id as subject, 'remaining from 0 to ' || coalesce(sum(posting.amount), 0) as expected,
        'remaining ' || lot.remaining || ' of ' || lot.amount as found, lot.amount - coalesce(sum(posting.amount), 0) as amount
      from grant_lots lot
      left join ledger_transactions entry on entry.id = lot.id and entry.kind = 'grant'
      left join ledger_postings posting on posting.transaction_id = entry.id
      where ${within(scope, "lot.organization_id")}
      group by lot.id
      having lot.remaining < 0 or lot.remaining > lot.amount or lot.amount <> coalesce(sum(posting.amount), 0)`,
    sql`
      select entry.organization_id, 'expiry ' || entry.id as subject, 'an expired lot of at least its amount' as expected,
        case when lot.id is null then 'no lot' when lot.expired_at is null then 'a lot that is not expired'
          else 'a lot of ' || lot.amount end as found,
        coalesce(sum(posting.amount), 0) as amount
      from ledger_transactions entry
      left join grant_lots lot on lot.id = entry.reference and lot.organization_id = entry.organization_id
      left join ledger_postings posting on posting.transaction_id = entry.id
      where entry.kind = 'expiry' and ${within(scope, "entry.organization_id")}
      group by entry.id, lot.id
      having lot.id is null or lot.expired_at is null or coalesce(sum(posting.amount), 0) > lot.amount`,
    changedTerms(scope),
    unequalRemainders(scope),
    // Calls with the operator's own key don't count toward any organization.
    sql`
      with sealed_days as (select distinct day from usage_day_seals where day >= ${scope.keptSince}::date),
      counted as (
        select event.day, coalesce(event.organization_id, '') as organization_id, count(*) as events, sum(event.cost) as cost,
          sha256(convert_to(string_agg(event.id::text || event.cost, '' order by event.id), 'UTF8')) as digest,
          coalesce(sum(event.loss) filter (where event.is_billed), 0) as loss
        from usage_events event join sealed_days on sealed_days.day = event.day
        where ${within(scope, "event.organization_id")}
        group by 1, 2
      ), sealed as (
        select day, organization_id, events, cost, digest, loss
        from usage_day_seals
        where day >= ${scope.keptSince}::date and events > 0 and ${within(scope, "organization_id")}
      )
      select nullif(organization_id, '') as organization_id, 'closed day ' || day as subject,
        coalesce(counted.events || ' calls, cost ' || counted.cost || ', loss ' || counted.loss || ', ' || encode(counted.digest, 'hex'), 'nothing') as expected,
        coalesce(sealed.events || ' calls, cost ' || sealed.cost || ', loss ' || sealed.loss || ', ' || encode(sealed.digest, 'hex'), 'nothing') as found,
        coalesce(sealed.cost + sealed.loss, 0) - coalesce(counted.cost + counted.loss, 0) as amount
      from counted full join sealed using (day, organization_id)
      where counted.digest is distinct from sealed.digest or counted.events <> sealed.events or counted.cost <> sealed.cost
        or counted.loss <> sealed.loss`,
    // The rows of a dropped day no longer exist, but its rollups and totals must still match.
    sql`
      with summed as (
        select (bucket_at at time zone 'UTC')::date as day, organization_id, sum(requests) as events, sum(cost) as cost
        from usage_rollups
        where bucket_at < ${scope.keptSince}::date::timestamp at time zone 'UTC' and ${within(scope, "organization_id")}
        group by 1, 2
      ), sealed as (
        select day, organization_id, events, cost
        from usage_day_seals
        where day < ${scope.keptSince}::date and organization_id <> '' and ${within(scope, "organization_id")}
      )
      select organization_id, 'totals of dropped day ' || day as subject,
        coalesce(sealed.events || ' calls, cost ' || sealed.cost, 'not closed') as expected,
        coalesce(summed.events || ' calls, cost ' || summed.cost, 'nothing') as found,
        coalesce(summed.cost, 0) - coalesce(sealed.cost, 0) as amount
      from summed full join sealed using (day, organization_id)
      where summed.events is distinct from sealed.events or summed.cost is distinct from sealed.cost`,
  ],
};
