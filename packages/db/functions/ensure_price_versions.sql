-- Stores price versions. The ID must match the contents, so that one ID never has two meanings.
create or replace function ensure_price_versions(versions jsonb) returns void
  language plpgsql security definer set search_path from current
as $$
declare
  version price_versions;
begin
  for version in
    select id, model, input, output, "cacheRead", "cacheWrite", reasoning, now(), "audioInput", "audioOutput",
           "perCharacter", "perSecond", "perImage", "tierAbove", "tierInput", "tierOutput", "tierCacheRead",
           "tierCacheWrite", "perSearch", "perRequest", "perWebSearch", "perFileSearch", "perCodeSession", "perToolCall",
           "longCacheWrite", "tierLongCacheWrite", condition, "costVersionId"
      from jsonb_to_recordset(versions) as v (
        id text, model text, input bigint, output bigint, "cacheRead" bigint, "cacheWrite" bigint, reasoning bigint,
        "audioInput" bigint, "audioOutput" bigint, "perCharacter" bigint, "perSecond" bigint, "perImage" bigint,
        "tierAbove" bigint, "tierInput" bigint, "tierOutput" bigint, "tierCacheRead" bigint, "tierCacheWrite" bigint,
        "perSearch" bigint, "perRequest" bigint, "perWebSearch" bigint, "perFileSearch" bigint, "perCodeSession" bigint,
        "perToolCall" bigint, "longCacheWrite" bigint, "tierLongCacheWrite" bigint, condition text, "costVersionId" text)
     -- A price names the version of its cost, which must exist.
     order by "costVersionId" nulls first, id
  loop
    if version.id is distinct from price_version_id(version) then
      raise exception 'price version % of % has an id that does not follow from it', version.id, version.model
        using errcode = 'invalid_parameter_value';
    end if;
    insert into price_versions select version.* on conflict (id) do nothing;
  end loop;
end
$$;

revoke execute on function ensure_price_versions from public;
grant execute on function ensure_price_versions to tollgate_gateway, tollgate_worker, tollgate_platform;
