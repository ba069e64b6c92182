-- Returns the hash of an audit row: it covers the previous hash and the row as text that no session setting changes.
create or replace function audit_hash(
  previous bytea, id text, organization_id text, seq bigint, at timestamptz,
  actor jsonb, action text, target jsonb, request_id text, before jsonb, after jsonb
) returns bytea
  language sql immutable parallel safe
  return sha256(coalesce(previous, ''::bytea) || convert_to(
    jsonb_build_array(id, organization_id, seq, (extract(epoch from at) * 1000000)::bigint, actor, action, target,
      request_id, before, after)::text,
    'UTF8'
  ));
