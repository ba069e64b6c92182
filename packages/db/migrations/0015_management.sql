-- What every change through the management interface leaves behind, and what makes it happen once.

-- The answer to a request that carried an idempotency key, written in the transaction that did what was asked.
create table idempotency_keys (
  user_id     integer     not null references users (id),
  method      text        not null,
  path        text        not null,
  key         text        not null check (char_length(key) between 1 and 255),
  body_digest bytea       not null check (octet_length(body_digest) = 32),
  status      smallint    not null,
  body        text        not null, -- as sent, but for secrets
  created_at  timestamptz not null default now(),
  primary key (user_id, method, path, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy platform_own on idempotency_keys to tollgate_platform
  using (user_id = tollgate_user() or tollgate_is_administrator()) with check (user_id = tollgate_user());
create policy worker_tidies on idempotency_keys to tollgate_worker using (true);
grant select, insert, delete on idempotency_keys to tollgate_platform;
grant select, delete on idempotency_keys to tollgate_worker;

-- What an audit row says of people. The row itself keeps a salted digest of it, so that this can be erased and the
-- chain still proves that nothing else was touched.
create table audit_personal (
  audit_id text      primary key references audit_log (id),
  subjects integer[] not null, -- whom it is about
  salt     bytea     not null,
  personal jsonb     -- null: erased
);
create index audit_personal_subjects on audit_personal using gin (subjects);
-- Who was named before they had an account is found by their address, as a whole value at whatever depth.
create index audit_personal_values on audit_personal using gin (personal);
alter table audit_personal enable row level security;
alter table audit_personal force row level security;
create policy platform_with_row on audit_personal to tollgate_platform
  using (tollgate_is_administrator() or exists (select from audit_log where audit_log.id = audit_id));
create policy worker_reaches_all on audit_personal to tollgate_worker using (true) with check (true);
grant select on audit_personal to tollgate_platform, tollgate_worker; -- erased by erase_person alone
create index audit_log_time on audit_log (at desc, id desc);

-- One chain per organization, one of the installation itself (null). Each has a lock of its own: the quota row, which
-- settlement needs, must not wait for people, nor may the two wait for each other.
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
  -- The role is the session's own: inside this function everyone is the owner.
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
  -- Two queries, because no index answers "is not distinct from".
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

-- The same with what is personal kept apart: `personal` is an object such as {"actorEmail": …, "ip": …, "after": {…}}.
create function write_audit(
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

-- Work for later, taken on by a worker once this transaction has committed. The queue is graphile-worker's.
create function enqueue_job(task text, payload jsonb, run_at timestamptz default null, job_key text default null)
returns void
  language plpgsql security definer set search_path from current
as $$
begin
  perform graphile_worker.add_job(identifier => task, payload => payload::json, run_at => enqueue_job.run_at,
    job_key => enqueue_job.job_key);
end
$$;
revoke execute on function enqueue_job from public;
grant execute on function enqueue_job to tollgate_platform, tollgate_worker;

-- A change tells others of itself, and an organization says below which balance it wants to be warned. Amounts stay out of
-- reach: this is the one column of the quota row that people set.
grant insert (organization_id, type, data) on outbox to tollgate_platform;
grant update (low_balance_threshold) on organization_quota to tollgate_platform;

-- What a list of somebody's organizations says of each, before any of them is the active one.
create function organization_facts(ids text[])
returns table (id text, member_count integer, team_count integer, low_balance_threshold bigint)
  language sql stable security definer set search_path from current
begin atomic
  select q.organization_id,
    (select count(*)::integer from organization_members m where m.organization_id = q.organization_id),
    (select count(*)::integer from teams t where t.organization_id = q.organization_id and t.deleted_at is null),
    q.low_balance_threshold
  from organization_quota q
  where q.organization_id = any (ids) and (tollgate_is_member(q.organization_id) or tollgate_may_see(q.organization_id));
end;
revoke execute on function organization_facts from public;
grant execute on function organization_facts to tollgate_platform;

-- What a key has used, and when it was used last.
create index usage_rollups_key on usage_rollups (organization_id, key_id, bucket_at);

-- For platform connections, which may only read the quota: whoever will touch a team's state locks this row first.
create function lock_quota(of_organization text) returns bigint
  language plpgsql security definer set search_path from current
as $$
declare
  current_balance bigint;
begin
  if current_setting('role') = 'tollgate_platform' and not coalesce(tollgate_may_see(of_organization), false) then
    raise exception 'organization % is not the one this connection acts for', of_organization
      using errcode = 'insufficient_privilege';
  end if;
  select balance into current_balance from organization_quota where organization_id = of_organization for update;
  return current_balance;
end
$$;
revoke execute on function lock_quota from public;
grant execute on function lock_quota to tollgate_platform, tollgate_worker;

-- Erases what the audit log says of a person, so many rows at a time that no statement is long; returns how many.
create function erase_audit_of_person(of_user integer, at_most integer) returns integer
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

-- Takes a person out of every other table: what is left is a number. Books, usage and audit rows stay as they are.
-- It reaches rows that no single connection may see, hence the rights of the owner; only administrators may call it.
create function erase_person(of_user integer) returns void
  language plpgsql security definer set search_path from current
as $$
declare
  placeholder text := 'deleted-' || of_user;
  old_email   text;
  email_json  text; -- as JSON writes it
begin
  if current_setting('role') = 'tollgate_platform' and not tollgate_is_administrator() then
    raise exception 'only an administrator erases a person' using errcode = 'insufficient_privilege';
  end if;
  select email into old_email from users where id = of_user for update;
  email_json := to_json(old_email)::text;

  -- Credentials are seen at the door alone.
  perform set_config('tollgate.door', 'on', true);
  delete from user_credentials where user_id = of_user;
  delete from user_tokens where user_id = of_user;
  delete from sessions where user_id = of_user;
  delete from sign_ups where email = old_email;
  delete from login_failures where email_digest = sha256(convert_to(old_email, 'UTF8'));
  perform set_config('tollgate.door', 'off', true);

  delete from idempotency_keys where user_id = of_user;
  -- Of answers to others that named them, by whatever name at the time, a repetition keeps the status and loses the body.
  -- Without the row, what was asked would be done again.
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
  delete from organization_members where user_id = of_user; -- and so from teams
  update users
     set email = placeholder, name = placeholder, role = 'user', status = 'deleted', email_verified_at = null,
       last_organization_id = null, last_login_at = null, updated_at = now()
   where id = of_user;
end
$$;
revoke execute on function erase_person from public;
grant execute on function erase_person to tollgate_platform;
