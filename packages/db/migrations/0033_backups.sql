-- A backup is read by whoever owns the tables, and must have every row. The owner reads most tables by being a worker too;
-- these are closed to workers.
create policy owner_backs_up on user_credentials for select to current_user using (true);
create policy owner_backs_up on user_preferences for select to current_user using (true);
create policy owner_backs_up on organization_onboarding for select to current_user using (true);

-- From PostgreSQL 16 on, whoever makes a role may give it away and is not in it. Processes log in as the owner and take
-- their roles, so the owner has to be in all of them.
do $$
declare
  role_name text;
begin
  if current_setting('server_version_num')::integer < 160000 then
    return;
  end if;
  foreach role_name in array array['tollgate_gateway', 'tollgate_platform', 'tollgate_worker'] loop
    if not (pg_has_role(current_user, role_name, 'SET') and pg_has_role(current_user, role_name, 'USAGE')) then
      execute format('grant %I to %I with inherit true, set true', role_name, current_user);
    end if;
  end loop;
end
$$;
