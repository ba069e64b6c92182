-- Asks these gateways to return idle credit of the allowance. A notification has at most 8,000 bytes, so a long list is
-- left out, and every gateway is asked.
create or replace function send_recall(purse leased_purse, nodes text[]) returns void
  language plpgsql
as $$
begin
  perform pg_notify('tollgate_notice', json_build_object(
    'kind', 'recall', 'organizationId', purse.organization_id, 'recall', purse.recall,
    'nodes', case when cardinality(nodes) <= 100 then to_json(nodes) end,
    'purse', case when purse.scope is null then json_build_object('kind', 'credit')
      else json_build_object('kind', 'budget', 'scope', purse.scope, 'scopeId', purse.scope_id,
                             'startsAtMs', (extract(epoch from purse.starts_at) * 1000)::bigint) end
  )::text);
end
$$;

-- Called only by functions up to schema 45, in statements that began before they were replaced. It stays until a
-- contract migration drops it.
create or replace function send_recall(purse leased_purse) returns void
  language sql
  return send_recall(purse, null::text[]);
