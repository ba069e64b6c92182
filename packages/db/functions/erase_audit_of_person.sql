-- Erases the personal data of a user from the audit log. Changes at most `at_most` rows, so that statements stay short,
-- and returns their number.
create or replace function erase_audit_of_person(of_user integer, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  address text;
  erased  integer;
begin
  if current_setting('role') = 'tollgate_platform' and not tollgate_is_administrator() then
    raise exception 'only an administrator erases a person' using errcode = 'insufficient_privilege';
  end if;
  select to_json(email)::text into address from users where id = of_user;
  with named as (
    select audit_id from audit_personal where personal is not null and subjects @> array[of_user]
    union
    select audit_id from audit_personal where personal @? format('$.** ? (@ == %s)', address)::jsonpath
    limit at_most
  )
  update audit_personal set personal = null from named where named.audit_id = audit_personal.audit_id;
  get diagnostics erased = row_count;
  return erased;
end
$$;

revoke execute on function erase_audit_of_person from public;
grant execute on function erase_audit_of_person to tollgate_platform;
