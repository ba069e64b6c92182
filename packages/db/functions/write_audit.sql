-- Works like `append_audit`, but stores personal data separately: `personal` is an object such as {"actorEmail": …,
-- "ip": …, "after": {…}}.
create or replace function write_audit(
  of_organization text, actor jsonb, action text, target jsonb, request_id text, before jsonb, after jsonb,
  personal jsonb, subjects integer[]
) returns text
  language plpgsql security definer set search_path from current
as $$
declare
  salt   bytea := uuid_send(gen_random_uuid());
  new_id text;
begin
  new_id := append_audit(of_organization,
    actor || jsonb_build_object('personal', encode(sha256(salt || convert_to(personal::text, 'UTF8')), 'hex')),
    action, target, request_id, before, after);
  insert into audit_personal (audit_id, subjects, salt, personal) values (new_id, subjects, salt, personal);
  return new_id;
end
$$;

revoke execute on function write_audit from public;
grant execute on function write_audit to tollgate_platform, tollgate_worker;
