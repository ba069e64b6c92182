-- Returns the lost attempts in an event's JSON, numbered in their order. Units other than plain tokens may be missing.
create or replace function read_lost_attempts(attempts json) returns table (
  seq bigint, reason text, deployment_id text, provider text, units event_units, price_version_id text, cost bigint
)
  language sql immutable
as $$
  select ordinality, reason, "deploymentId", provider, usage, "priceVersionId", cost
    from rows from (json_to_recordset(attempts) as (
           reason text, "deploymentId" text, provider text, usage event_units, "priceVersionId" text, cost bigint
         )) with ordinality as a;
$$;

revoke execute on function read_lost_attempts from public;
