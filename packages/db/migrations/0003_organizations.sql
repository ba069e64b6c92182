create table organizations (
  id         text        primary key check (id ~ '^org_[0-9A-HJKMNP-TV-Z]{26}$'),
  name       text        not null check (char_length(name) between 1 and 100),
  status     text        not null default 'active' check (status in ('active', 'closed')),
  models     string_list not null default '{}', -- empty: every model
  rpm_limit  integer     check (rpm_limit >= 0),
  tpm_limit  integer     check (tpm_limit >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

alter table organizations enable row level security;
alter table organizations force row level security;

-- A gateway finds the organization through the hash of a key, before it knows whose key it is.
create policy gateway_reads_all on organizations for select to tollgate_gateway using (true);
create policy worker_reads_all on organizations for select to tollgate_worker using (true);
create policy platform_stays_inside on organizations to tollgate_platform
  using (tollgate_may_see(id)) with check (tollgate_may_see(id));

grant select on organizations to tollgate_gateway, tollgate_worker;
grant select, insert, update on organizations to tollgate_platform;

create trigger organization_notice after insert or update or delete on organizations
  for each row execute function tollgate_send_notice('organization');
