-- Notifies every listening process that a cached record may have changed. It is sent when the change commits.
create or replace function tollgate_send_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
begin
  perform record_change(json_build_object('kind', tg_argv[0], 'id', changed.id));
  return null;
end
$$;
