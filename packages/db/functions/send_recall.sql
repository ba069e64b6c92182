-- Asks every gateway to return idle credit of the allowance.
create or replace function send_recall(purse leased_purse) returns void
  language plpgsql
as $$
begin
  perform pg_notify('tollgate_notice', json_build_object(
    'kind', 'recall', 'organizationId', purse.organization_id, 'recall', purse.recall,
    'purse', case when purse.scope is null then json_build_object('kind', 'credit')
      else json_build_object('kind', 'budget', 'scope', purse.scope, 'scopeId', purse.scope_id,
                             'startsAtMs', (extract(epoch from purse.starts_at) * 1000)::bigint) end
  )::text);
end
$$;
