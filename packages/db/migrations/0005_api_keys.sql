-- A key itself is never stored, only its SHA-256. Its state is derived from facts: revoked_at, disabled_at, expires_at.
create table api_keys (
  id                    text        primary key check (id ~ '^key_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id       text        not null,
  team_id               text        not null,
  user_id               integer     check (user_id > 0), -- who made it; null for keys that nobody made by hand
  name                  text        not null check (char_length(name) between 1 and 100),
  token_hash            bytea       not null unique check (octet_length(token_hash) = 32),
  prefix                text        not null check (prefix like 'sk-%' and char_length(prefix) <= 8),
  last_four             text        not null check (char_length(last_four) <= 4),
  disabled_at           timestamptz,
  revoked_at            timestamptz,
  expires_at            timestamptz,
  previous_token_hash   bytea       check (octet_length(previous_token_hash) = 32),
  previous_valid_until  timestamptz,
  models                string_list not null default '{}', -- empty: the team's
  allowed_routes        string_list, -- null: inference and information
  aliases               string_map  not null default '{}',
  tags                  string_list not null default '{}',
  guardrails            string_list not null default '{}',
  rpm_limit             integer     check (rpm_limit >= 0),
  tpm_limit             integer     check (tpm_limit >= 0),
  max_parallel_requests integer     check (max_parallel_requests >= 0),
  model_rpm_limits      limit_map   not null default '{}',
  model_tpm_limits      limit_map   not null default '{}',
  metadata              jsonb       not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  rotated_at            timestamptz,
  last_used_at          timestamptz,
  foreign key (organization_id, team_id) references teams (organization_id, id),
  -- After a rotation the old secret either has an end or is not kept at all.
  check ((previous_token_hash is null) = (previous_valid_until is null))
);
create index api_keys_team on api_keys (organization_id, team_id);
create unique index api_keys_previous_token_hash on api_keys (previous_token_hash) where previous_token_hash is not null;

alter table api_keys enable row level security;
alter table api_keys force row level security;

create policy gateway_reads_all on api_keys for select to tollgate_gateway using (true);
create policy worker_reads_all on api_keys for select to tollgate_worker using (true);
create policy platform_stays_inside on api_keys to tollgate_platform
  using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id));

grant select on api_keys to tollgate_gateway, tollgate_worker;
grant select, insert, update on api_keys to tollgate_platform;

-- Gateways cache by hash, so the notice names every hash under which the key may be cached.
create function tollgate_send_key_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
  hashes bytea[] := array_remove(array[new.token_hash, new.previous_token_hash, old.token_hash, old.previous_token_hash], null);
begin
  perform pg_notify(
    'tollgate_notice',
    json_build_object(
      'kind', 'key',
      'id', changed.id,
      'hashes', (select json_agg(distinct encode(hash, 'hex')) from unnest(hashes) as hash)
    )::text
  );
  return null;
end
$$;

create trigger api_key_made_notice after insert or delete on api_keys
  for each row execute function tollgate_send_key_notice();
-- The time of last use changes all the time and decides nothing, so it tells nobody.
create trigger api_key_changed_notice after update on api_keys
  for each row
  when ((to_jsonb(old) - 'last_used_at' - 'updated_at') is distinct from (to_jsonb(new) - 'last_used_at' - 'updated_at'))
  execute function tollgate_send_key_notice();
