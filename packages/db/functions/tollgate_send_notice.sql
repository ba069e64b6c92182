-- Notifies every listening process that a cached record may have changed. It is sent when the change commits.
create or replace function tollgate_send_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
begin
  perform pg_notify('tollgate_notice', json_build_object('kind', tg_argv[0], 'id', changed.id)::text);
  return null;
end
$$;
