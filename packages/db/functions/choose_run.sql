-- Chooses the run that a worker starts next, or returns null (decision 87). Tenants take turns, after the tenant that the
-- worker served last. A tenant gets another slot of the worker only while it has fewer than the worker has free, times
-- its weight, so that a slot is left for the next tenant. The cost depends on the number of tenants at their share, of
-- which there are at most as many as slots, and not on the number of waiting runs.
create or replace function choose_run(worker text, slots integer, served text, weights jsonb, out run text, out tenant text)
  language plpgsql security definer set search_path from current
as $$
declare
  free integer;
  has_others boolean;
  candidate text := served;
  next_tenant text;
  has_wrapped boolean := false;
begin
  -- One choice of a worker at a time, so that its slots are counted exactly.
  perform pg_advisory_xact_lock(hashtextextended('tollgate run worker ' || worker, 0));
  -- A worker that died after its choice gives the run back. A run that is being claimed or given back is skipped, so that
  -- choices don't wait for each other or for a slow claim.
  update run_queue q set worker_id = null, chosen_at = null
    where q.run_id in (
      select c.run_id from run_queue c where c.chosen_at < clock_timestamp() - interval '10 seconds'
        for update skip locked);
  free := slots - (select count(*) from run_queue q where q.worker_id = worker);
  if free <= 0 then
    return;
  end if;
  -- With one organization, no other tenant needs a free slot.
  has_others := (select count(*) > 1 from (select from organizations o where o.status <> 'closed' limit 2) as two);
  loop
    select q.tenant into next_tenant from run_queue q
      where q.worker_id is null and q.tenant > candidate order by q.tenant limit 1;
    if next_tenant is null then
      if has_wrapped then
        return;
      end if;
      has_wrapped := true;
      candidate := '';
      continue;
    end if;
    if has_wrapped and next_tenant > served then
      return;
    end if;
    candidate := next_tenant;
    if has_others and (select count(*) from run_queue q where q.worker_id = worker and q.tenant = candidate)
         >= free * coalesce((weights ->> candidate)::integer, 1) then
      continue;
    end if;
    update run_queue q set worker_id = worker, chosen_at = clock_timestamp()
      where q.run_id = (
        select c.run_id from run_queue c where c.tenant = candidate and c.worker_id is null
          order by c.queued_at, c.run_id limit 1 for update skip locked)
      returning q.run_id into run;
    if run is not null then
      tenant := candidate;
      return;
    end if;
  end loop;
end
$$;

revoke execute on function choose_run from public;
grant execute on function choose_run to tollgate_worker;
