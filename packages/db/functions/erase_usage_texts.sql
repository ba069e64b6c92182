-- Erases what clients chose in these usage rows: the end user, the session, and the request ID. The digests of the values stay, so that
-- verification still covers the rows. Rows without such values don't change. Only the owner of the database can call it,
-- to answer a request of an end user. Returns the number of erased rows.
create or replace function erase_usage_texts(ids uuid[]) returns integer
  language plpgsql security definer set search_path from current
  set plan_cache_mode = force_custom_plan
as $$
declare
  one_day date;
  part    integer;
  erased  integer := 0;
begin
  -- Otherwise, a transaction from before the chain could be appended meanwhile, with the text, and no digest would stay.
  perform pg_advisory_xact_lock(hashtextextended('tollgate:ledger chain', 0));
  for one_day in select distinct day_of_event(named) from unnest(ids) as named loop
    insert into ledger_erasures (usage_id, digest)
    select e.id, usage_texts_digest(entry.salt, e.id, e.request_id, e.end_user, e.session)
      from usage_events as e
      join ledger_chain as entry
        on entry.organization_id = e.organization_id
       and case when e.chain_seq is null then entry.transaction_id = e.transaction_id else entry.seq = e.chain_seq end
     where e.day = one_day and e.id = any (ids) and (e.end_user is not null or e.session is not null or e.request_id <> e.id::text)
    on conflict do nothing;
    update usage_events as e set end_user = null, session = null, request_id = e.id::text
     where e.day = one_day and e.id = any (ids) and (e.end_user is not null or e.session is not null or e.request_id <> e.id::text);
    get diagnostics part = row_count;
    erased := erased + part;
  end loop;
  return erased;
end
$$;

revoke execute on function erase_usage_texts from public;
