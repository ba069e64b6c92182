-- Blocks a team that becomes active in an organization with a negative balance. The lock prevents a race with the entry
-- that makes the balance negative.
create or replace function block_team_of_debtor() returns trigger
  language plpgsql security definer set search_path from current
as $$
declare
  owed boolean;
begin
  if tg_op = 'UPDATE' and old.status = 'active' and old.organization_id = new.organization_id then
    return new;
  end if;
  select balance < 0 into owed from organization_quota where organization_id = new.organization_id for update;
  if owed then
    new.status := 'blocked';
    new.blocked_reason := 'negative_balance';
    new.blocked_at := now();
  end if;
  return new;
end
$$;

revoke execute on function block_team_of_debtor from public;
