-- Spends credit with an expiry date first, in the order of expiry. Uses PL/pgSQL, because an SQL function is planned
-- again by every statement that calls it.
create or replace function spend_lots(payers text[], costs bigint[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  update grant_lots as lot set remaining = remaining - spent
    from (
      select id, least(remaining, paid.cost - (sum(remaining) over soonest - remaining))::bigint as spent
        from grant_lots join unnest(payers, costs) as paid (organization_id, cost) using (organization_id)
       where remaining > 0
      window soonest as (partition by organization_id order by expires_at, id rows unbounded preceding)
    ) as spending
   where lot.id = spending.id and spent > 0;
end
$$;

revoke execute on function spend_lots from public;
