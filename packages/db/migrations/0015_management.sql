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
alter table audit_personal enable row level security;
alter table audit_personal force row level security;
create policy platform_with_row on audit_personal to tollgate_platform
  using (tollgate_is_administrator() or exists (select from audit_log where audit_log.id = audit_id));
create policy worker_reaches_all on audit_personal to tollgate_worker using (true) with check (true);
grant select, update (personal) on audit_personal to tollgate_platform;

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
  select * into last from audit_log where organization_id is not distinct from of_organization order by seq desc limit 1;
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
