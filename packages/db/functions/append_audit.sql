-- Appends a row to the audit chain of an organization, or of the instance (null). A row's hash covers the previous row.
-- Each chain has its own advisory lock, because an audit entry must not hold up settlement, which locks the quota row,
-- and the two locks must not cause a deadlock.
create or replace function append_audit(
  of_organization text, actor jsonb, action text, target jsonb, request_id text, before jsonb, after jsonb
) returns text
  language plpgsql security definer set search_path from current
as $$
declare
  last     audit_log;
  new_id   text := 'aud_' || crockford_of(make_uuid_v7());
  made_at  timestamptz := now();
  new_seq  bigint;
begin
  -- The role of the session: inside this function, the current user is always the owner.
  if current_setting('role') = 'tollgate_platform' and not (
    case when of_organization is null
      then tollgate_is_administrator() or tollgate_at_door() or tollgate_user() is not null
      else coalesce(tollgate_may_see(of_organization), false)
    end
  ) then
    raise exception 'organization % is not the one this connection acts for', of_organization
      using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tollgate:audit:' || coalesce(of_organization, ''), 0));
  -- Two queries, because "is not distinct from" uses no index.
  if of_organization is null then
    select * into last from audit_log where organization_id is null order by seq desc limit 1;
  else
    select * into last from audit_log where organization_id = of_organization order by seq desc limit 1;
  end if;
  new_seq := coalesce(last.seq, 0) + 1;
  insert into audit_log (id, organization_id, seq, at, actor, action, target, request_id, before, after, previous_hash, hash)
  values (new_id, of_organization, new_seq, made_at, actor, action, target, request_id, before, after, last.hash,
    audit_hash(last.hash, new_id, of_organization, new_seq, made_at, actor, action, target, request_id, before, after));
  return new_id;
end
$$;

revoke execute on function append_audit from public;
grant execute on function append_audit to tollgate_worker, tollgate_platform;
