-- Models that an administrator offers, and the providers behind them. They belong to the operator, not to a tenant:
-- everyone may read of them, administrators change them, and gateways serve them besides those of their settings.

create table providers (
  id         text        primary key check (id ~ '^prov_[0-9A-HJKMNP-TV-Z]{26}$'),
  slug       text        not null check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name       text        not null check (char_length(name) between 1 and 100),
  kind       text        not null check (char_length(kind) between 1 and 60), -- the dialect, by the gateway's name for it
  base_url   text        check (char_length(base_url) <= 2000), -- null: the usual address of its kind
  website    text        check (char_length(website) <= 2000),
  status     text        not null default 'available' check (status in ('available', 'degraded', 'unavailable')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz -- models that were served by it keep naming it
);
create unique index providers_slug on providers (slug) where deleted_at is null;

-- Apart from the provider, so that no query for the public can carry a credential away.
create table provider_credentials (
  provider_id text        primary key references providers (id) on delete cascade,
  api_key     text        not null, -- sealed
  updated_at  timestamptz not null default now()
);

create table catalogue_models (
  id                  text        primary key check (char_length(id) between 1 and 200), -- what callers name
  name                text        not null check (char_length(name) between 1 and 100),
  provider_id         text        not null references providers (id),
  inference_model_id  text        not null check (char_length(inference_model_id) between 1 and 200), -- what its provider calls it
  type                text        not null check (type in ('chat', 'completion', 'embedding', 'image', 'moderation', 'speech',
                                                           'transcription', 'rerank')),
  description         text        not null default '' check (char_length(description) <= 2000),
  context_window      integer     check (context_window > 0),
  max_output_tokens   integer     check (max_output_tokens > 0),
  capabilities        text[]      not null default '{}',
  input_modalities    text[]      not null default '{text}',
  output_modalities   text[]      not null default '{text}',
  params              jsonb       not null default '{}',
  price_version_id    text        references price_versions (id), -- what tokens cost now; null: nobody said
  per_image           bigint      check (per_image >= 0), -- nano-USD
  per_audio_second    bigint      check (per_audio_second >= 0),
  per_million_characters bigint   check (per_million_characters >= 0),
  status              text        not null default 'active' check (status in ('active', 'deprecated', 'disabled')),
  deprecated_at       timestamptz,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now()
);
create index catalogue_models_provider on catalogue_models (provider_id);

do $$
declare
  name text;
begin
  foreach name in array array['providers', 'provider_credentials', 'catalogue_models'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy gateway_reads_all on %I for select to tollgate_gateway using (true)', name);
    execute format('create policy administrator_changes on %I to tollgate_platform
      using (tollgate_is_administrator()) with check (tollgate_is_administrator())', name);
    execute format('grant select on %I to tollgate_gateway', name);
    execute format('grant select, insert, update on %I to tollgate_platform', name);
  end loop;
end
$$;
create policy everyone_reads on providers for select to tollgate_platform using (true);
create policy everyone_reads on catalogue_models for select to tollgate_platform using (true);
grant delete on provider_credentials to tollgate_platform;

-- Gateways build their list of models anew. Equal notices of one transaction are sent once.
create function tollgate_send_catalogue_notice() returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('tollgate_notice', '{"kind":"catalogue"}');
  return null;
end
$$;
create trigger notice after insert or update or delete on providers
  for each statement execute function tollgate_send_catalogue_notice();
create trigger notice after insert or update or delete on provider_credentials
  for each statement execute function tollgate_send_catalogue_notice();
create trigger notice after insert or update or delete on catalogue_models
  for each statement execute function tollgate_send_catalogue_notice();
