-- Notifies gateways of a user whose role or membership changed. The argument names the column with the user's ID.
create or replace function tollgate_send_user_notice() returns trigger
  language plpgsql
as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform record_change(json_build_object('kind', 'user', 'id', changed ->> tg_argv[0]));
  return null;
end
$$;
