-- Editions of the model catalog that operators applied (decision 76), and the disputed prices that they confirmed
-- (decision 77). They belong to the operator: gateways read them, and administrators add them.
create table catalog_editions (
  id            bigint      generated always as identity primary key, -- the last one is in effect
  edition       text        not null check (edition ~ '^\d{4}-\d{2}\.\d{1,4}$'),
  prices_as_of  date        not null,
  sha256        text        not null check (sha256 ~ '^[0-9a-f]{64}$'), -- of the content
  content       text        not null,
  signed_by     text        check (length(signed_by) = 16), -- ID of the key; null: unsigned
  origin        text        not null check (length(origin) between 1 and 2000), -- file or URL
  is_pinned     boolean     not null default false, -- stays in effect even if a release contains a later edition
  applied_by    text        not null check (length(applied_by) between 1 and 200),
  applied_at    timestamptz not null default now()
);
create table price_confirmations (
  model         text        primary key check (length(model) between 1 and 300),
  digest        text        not null check (digest ~ '^[0-9a-f]{32}$'), -- of the disputed amounts
  choice        text        not null check (choice in ('higher', 'first', 'second')),
  confirmed_by  text        not null check (length(confirmed_by) between 1 and 200),
  confirmed_at  timestamptz not null default now()
);

do $$
declare
  name text;
begin
  foreach name in array array['catalog_editions', 'price_confirmations'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy gateway_reads_all on %I for select to tollgate_gateway using (true)', name);
    execute format('create policy worker_reads_all on %I for select to tollgate_worker using (true)', name);
    execute format('create policy everyone_reads on %I for select to tollgate_platform using (true)', name);
    execute format('create policy administrator_adds on %I for insert to tollgate_platform
      with check (tollgate_is_administrator())', name);
    execute format('grant select on %I to tollgate_gateway, tollgate_worker', name);
    execute format('grant select, insert on %I to tollgate_platform', name);
    execute format('create trigger notice after insert or update or delete on %I
      for each statement execute function tollgate_send_catalogue_notice()', name);
  end loop;
end
$$;
create policy administrator_changes on price_confirmations for update to tollgate_platform
  using (tollgate_is_administrator()) with check (tollgate_is_administrator());
grant update on price_confirmations to tollgate_platform;
create trigger catalog_editions_are_final before update or delete or truncate on catalog_editions
  for each statement execute function tollgate_refuse_change();
