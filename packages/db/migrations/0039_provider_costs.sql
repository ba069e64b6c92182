-- What the provider charges, next to what the customer pays (decision 78), and price lists of organizations. Existing
-- versions and calls have no cost of their own: they were sold at the provider's price.
alter table price_versions add column cost_version_id text; -- version of the provider's price; null: this one
alter table price_versions add constraint price_versions_cost_fkey
  foreign key (cost_version_id) references price_versions (id) not valid;

alter table usage_events add column provider_cost bigint; -- nano-USD; null: the price of its version, so cost and loss
alter table usage_events add constraint usage_events_provider_cost_check check (provider_cost >= 0) not valid;
-- What the provider said that it charges, as some do with each response. Margins prefer it to computed amounts.
alter table usage_events add column reported_cost bigint; -- nano-USD; null: the response didn't say
alter table usage_events add constraint usage_events_reported_cost_check check (reported_cost >= 0) not valid;
alter type event_units add attribute "reportedCost" bigint;
-- Cost minus the provider's cost. Customers see no margins: no operation for them selects these columns.
alter table usage_rollups add column margin bigint not null default 0;
alter table usage_hours add column margin bigint not null default 0;
alter table usage_days add column margin bigint not null default 0;

-- An organization's prices: a share of the standard price and an amount per request, for one model group or for all.
create table price_list_entries (
  organization_id  text        not null references organizations (id),
  model_group      text        not null check (length(model_group) between 1 and 200), -- '*': all without their own entry
  share_millionths bigint      not null check (share_millionths between -1000000 and 100000000),
  fixed_nano       bigint      not null check (fixed_nano between 0 and 1000000000000),
  updated_at       timestamptz not null default now(),
  primary key (organization_id, model_group)
);
alter table price_list_entries enable row level security;
alter table price_list_entries force row level security;
create policy gateway_reads_all on price_list_entries for select to tollgate_gateway using (true);
create policy worker_reads_all on price_list_entries for select to tollgate_worker using (true);
create policy tenant_reads on price_list_entries for select to tollgate_platform using (tollgate_may_see(organization_id));
create policy administrator_changes on price_list_entries to tollgate_platform
  using (tollgate_is_administrator()) with check (tollgate_is_administrator());
grant select on price_list_entries to tollgate_gateway, tollgate_worker;
grant select, insert, update, delete on price_list_entries to tollgate_platform;
