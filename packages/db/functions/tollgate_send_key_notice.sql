-- Notifies gateways of a changed key, with every hash that the key may be cached under.
create or replace function tollgate_send_key_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
  hashes bytea[] := array_remove(array[new.token_hash, new.previous_token_hash, old.token_hash, old.previous_token_hash], null);
begin
  perform record_change(json_build_object(
    'kind', 'key',
    'id', changed.id,
    'hashes', (select json_agg(distinct encode(hash, 'hex')) from unnest(hashes) as hash)
  ));
  return null;
end
$$;
