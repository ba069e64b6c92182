-- Erases a user from every other table, and leaves only the ID. Ledger, usage, and audit rows don't change. The
-- function runs as the owner, because it changes rows that no single connection can see. Only administrators may call
-- it.
create or replace function erase_person(of_user integer) returns void
  language plpgsql security definer set search_path from current
as $$
declare
  placeholder text := 'deleted-' || of_user;
  old_email   text;
  email_json  text; -- encoded as JSON
begin
  if current_setting('role') = 'tollgate_platform' and not tollgate_is_administrator() then
    raise exception 'only an administrator erases a person' using errcode = 'insufficient_privilege';
  end if;
  select email into old_email from users where id = of_user for update;
  email_json := to_json(old_email)::text;

  -- Only an unauthenticated connection can see credentials.
  perform set_config('tollgate.door', 'on', true);
  delete from user_credentials where user_id = of_user;
  delete from user_tokens where user_id = of_user;
  delete from sessions where user_id = of_user;
  delete from sign_ups where email = old_email;
  delete from login_failures where email_digest = sha256(convert_to(old_email, 'UTF8'));
  perform set_config('tollgate.door', 'off', true);

  delete from idempotency_keys where user_id = of_user;
  -- Responses to other users that name this user keep their status and lose their body. Without the row, a retry would
  -- run the request again.
  update idempotency_keys set body = '{}'
   where strpos(body, email_json) > 0 or strpos(body, '"id":' || of_user || ',') > 0
      or strpos(body, '"userId":' || of_user || ',') > 0;
  update outbox set data = replace(data::text, email_json, to_json(placeholder)::text)::jsonb
   where strpos(data::text, email_json) > 0;
  update invitations
     set email = placeholder, status = case when status = 'pending' then 'revoked' else status end,
       decided_at = coalesce(decided_at, now())
   where email = old_email;
  update organizations set billing_email = null where lower(billing_email) = old_email;
  delete from organization_members where user_id = of_user; -- also removes the user from teams
  update users
     set email = placeholder, name = placeholder, role = 'user', status = 'deleted', email_verified_at = null,
       last_organization_id = null, last_login_at = null, updated_at = now()
   where id = of_user;
end
$$;

revoke execute on function erase_person from public;
grant execute on function erase_person to tollgate_platform;
