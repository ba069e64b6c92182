-- Responses that may be continued and read again. What was asked and what a model answered is sealed under the installation's
-- key in `record`; the columns beside it are what has to be found here.
create table responses (
  id              text        primary key check (id ~ '^resp_[0-9a-f]{32}$'),
  owner           text        not null, -- as of assistants: `team:…`, `user:…` or `key:…`
  organization_id text,
  -- What it continues. No reference: whoever deletes a response wants it gone, whatever continues it.
  previous_id     text        check (previous_id <> id),
  created_at      timestamptz not null default clock_timestamp(),
  -- A response that is continued lives as long as what continues it.
  expires_at      timestamptz not null default now() + interval '30 days',
  item_ids        text[]      not null default '{}', -- what it answered, for requests that only name it
  record          text        not null -- sealed: what was asked, and the response
);
create index responses_expiry on responses (expires_at);
create index responses_owner on responses (owner);
create index responses_items on responses using gin (item_ids);
create index responses_organization on responses (organization_id) where organization_id is not null;

alter table responses enable row level security;
alter table responses force row level security;
create policy gateway_stays_with_its_caller on responses to tollgate_gateway
  using (tollgate_owns(owner)) with check (tollgate_owns(owner));
create policy worker_reaches_all on responses to tollgate_worker using (true) with check (true);
create policy platform_erases on responses to tollgate_platform using (tollgate_is_administrator());
grant select, insert, update, delete on responses to tollgate_gateway;
grant select, delete on responses to tollgate_worker;
grant select, update, delete on responses to tollgate_platform;
