-- Who a platform connection acts for. It sees one organization's rows, or all of them when it says that it acts as an
-- administrator; when it says nothing it sees none.
create function tollgate_may_see(organization_id text) returns boolean
  language sql stable parallel safe
  return organization_id = current_setting('tollgate.organization_id', true)
      or current_setting('tollgate.administrator', true) = 'on';

create domain string_list as text[] check (array_position(value, null) is null);
create domain string_map as jsonb
  check (jsonb_typeof(value) = 'object' and not jsonb_path_exists(value, 'strict $.* ? (@.type() != "string")'));
create domain limit_map as jsonb
  check (jsonb_typeof(value) = 'object' and not jsonb_path_exists(value, 'strict $.* ? (@.type() != "number" || @ < 0)'));

-- Tells every listening process that something it may have cached has changed. Sent when the change commits, not before.
create function tollgate_send_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
begin
  perform pg_notify('tollgate_notice', json_build_object('kind', tg_argv[0], 'id', changed.id)::text);
  return null;
end
$$;
