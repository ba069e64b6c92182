-- Returns the time until which the rollups contain all ended calls: the oldest undelivered call of any gateway.
-- Gateways that haven't responded for a day are ignored.
create or replace function usage_known_until() returns timestamptz
  language sql stable security definer set search_path from current
  return (
    select least(now(), min(oldest_unconfirmed_at)) from gateway_nodes where alive_until > now() - interval '1 day'
  );

revoke execute on function usage_known_until from public;
grant execute on function usage_known_until to tollgate_platform;
