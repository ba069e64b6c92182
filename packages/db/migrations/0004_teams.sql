create table teams (
  id                    text        primary key check (id ~ '^team_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id       text        not null references organizations (id),
  name                  text        not null check (char_length(name) between 1 and 100),
  status                text        not null default 'active' check (status in ('active', 'blocked')),
  blocked_reason        text,
  blocked_at            timestamptz,
  models                string_list not null default '{}', -- empty: every model
  model_aliases         string_map  not null default '{}',
  tags                  string_list not null default '{}',
  guardrails            string_list not null default '{}',
  rpm_limit             integer     check (rpm_limit >= 0),
  tpm_limit             integer     check (tpm_limit >= 0),
  max_parallel_requests integer     check (max_parallel_requests >= 0),
  model_rpm_limits      limit_map   not null default '{}',
  model_tpm_limits      limit_map   not null default '{}',
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  -- A block always says why and since when, and nothing of it is left behind when it ends.
  check ((status = 'blocked') = (blocked_at is not null) and (status = 'blocked') = (blocked_reason is not null)),
  unique (organization_id, id) -- for keys, which must belong to the organization of their team
);
create unique index teams_name on teams (organization_id, lower(name));

alter table teams enable row level security;
alter table teams force row level security;

create policy gateway_reads_all on teams for select to tollgate_gateway using (true);
create policy worker_reads_all on teams for select to tollgate_worker using (true);
create policy platform_stays_inside on teams to tollgate_platform
  using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id));

grant select on teams to tollgate_gateway, tollgate_worker;
grant select, insert, update on teams to tollgate_platform;

create trigger team_notice after insert or update or delete on teams
  for each row execute function tollgate_send_notice('team');
