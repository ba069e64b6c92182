-- What a unit costs, as it was when calls were admitted under it. A row is never changed: a new price is a new row, and
-- its id is derived from what it says, so every process that knows the same price names it alike.
create table price_versions (
  id                     text        primary key check (id ~ '^price_[0-9a-f]{32}$'),
  model                  text        not null check (char_length(model) between 1 and 300), -- `<provider>/<model>`
  input_pico             bigint      not null check (input_pico >= 0), -- pico-USD per token
  output_pico            bigint      not null check (output_pico >= 0),
  cache_read_pico        bigint      check (cache_read_pico >= 0), -- null: charged as input
  cache_write_pico       bigint      check (cache_write_pico >= 0),
  reasoning_pico         bigint      check (reasoning_pico >= 0), -- null: charged as output
  first_seen_at          timestamptz not null default now()
);

-- What a call cost: exact in pico-USD, rounded half-up to nano-USD once. The same sum as `priceCall` in packages/domain.
create function price_of_call(
  price price_versions,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint
) returns bigint
  language sql immutable parallel safe
  return div(
    input_tokens::numeric * (price).input_pico
      + (output_tokens - reasoning_tokens)::numeric * (price).output_pico
      + cache_read_tokens::numeric * coalesce((price).cache_read_pico, (price).input_pico)
      + cache_write_tokens::numeric * coalesce((price).cache_write_pico, (price).input_pico)
      + reasoning_tokens::numeric * coalesce((price).reasoning_pico, (price).output_pico)
      + 500,
    1000
  )::bigint;

create function tollgate_refuse_change() returns trigger
  language plpgsql
as $$
begin
  raise exception '% rows are never changed or removed; write a new one', tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger price_versions_are_final before update or delete or truncate on price_versions
  for each statement execute function tollgate_refuse_change();

-- Prices belong to the operator, not to a tenant: everyone may read them.
grant select on price_versions to tollgate_gateway, tollgate_platform, tollgate_worker;
