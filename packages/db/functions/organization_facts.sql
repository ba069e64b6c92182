-- Returns the facts that a user's list of organizations shows before one of them is selected.
create or replace function organization_facts(ids text[])
returns table (id text, member_count integer, team_count integer, low_balance_threshold bigint)
  language sql stable security definer set search_path from current
begin atomic
  select q.organization_id,
    (select count(*)::integer from organization_members m where m.organization_id = q.organization_id),
    (select count(*)::integer from teams t where t.organization_id = q.organization_id and t.deleted_at is null),
    q.low_balance_threshold
  from organization_quota q
  where q.organization_id = any (ids) and (tollgate_is_member(q.organization_id) or tollgate_may_see(q.organization_id));
end;

revoke execute on function organization_facts from public;
grant execute on function organization_facts to tollgate_platform;
