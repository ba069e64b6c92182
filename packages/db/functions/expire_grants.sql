-- Expires the rest of grants that ended more than 15 minutes ago; by then, earlier calls are settled. Expires at most
-- 100 lots and returns their number.
create or replace function expire_grants(as_of timestamptz) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  due   record;
  taken integer := 0;
  rest  bigint;
begin
  for due in
    select id, organization_id from (
      select id, organization_id from grant_lots
       where remaining > 0 and expires_at < as_of - interval '15 minutes' order by expires_at limit 100
    ) as oldest order by organization_id, id
  loop
    perform from organization_quota where organization_id = due.organization_id for update;
    select remaining into rest from grant_lots where id = due.id and remaining > 0;
    continue when not found;
    perform post_entry('expiry', due.organization_id, rest, 'expiry:' || due.id, null, due.id, 'Granted credit expired',
      'system', '{}', null);
    update grant_lots set remaining = 0, expired_at = now() where id = due.id;
    taken := taken + 1;
  end loop;
  return taken;
end
$$;

revoke execute on function expire_grants from public;
grant execute on function expire_grants to tollgate_worker;
