-- One database role per kind of process. Each has only the rights its work needs, so a hole in one is not a hole in all.
-- A process logs in as whoever it is configured to be and then takes its role with `set role`.
-- Roles belong to the whole server: they may exist already, or be made at this moment by a migration of another database.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tollgate_gateway', 'tollgate_platform', 'tollgate_worker'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
    if not pg_has_role(current_user, role_name, 'member') then
      begin
        execute format('grant %I to %I', role_name, current_user);
      exception when unique_violation then
        null;
      end;
    end if;
    execute format('grant usage on schema %I to %I', current_schema(), role_name);
  end loop;
end
$$;
