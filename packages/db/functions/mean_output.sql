-- Returns the average output tokens of an organization's calls to a model in the last seven days, or null if it made
-- none. If an organization has very many keys, only its newest rollups are read, so that the query is always fast.
create or replace function mean_output(of_organization text, of_group text) returns double precision
  language sql stable security definer set search_path from current
  return (
    select sum(latest.output_tokens)::float8 / nullif(sum(latest.requests - latest.errors), 0)
    from (
      select model_group, output_tokens, requests, errors from usage_rollups
      where organization_id = of_organization and bucket_at >= now() - interval '7 days'
      order by bucket_at desc
      limit 20000
    ) as latest
    where latest.model_group = of_group
  );

revoke execute on function mean_output from public;
grant execute on function mean_output to tollgate_gateway;
