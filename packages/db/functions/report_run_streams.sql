-- Replaces a gateway process's open streams of run events, and removes those of processes that stopped reporting.
create or replace function report_run_streams(of_process text, open jsonb) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  delete from open_run_streams s where s.process = of_process;
  delete from open_run_streams s where (s.process, s.key_id) in (
    select o.process, o.key_id from open_run_streams o where o.reported_at < now() - interval '90 seconds'
      for update skip locked);
  insert into open_run_streams (process, tenant, key_id, streams)
    select of_process, coalesce("organizationId", 'none'), "keyId", streams
      from jsonb_to_recordset(open) as stream ("organizationId" text, "keyId" text, streams integer);
end
$$;

revoke execute on function report_run_streams from public;
grant execute on function report_run_streams to tollgate_gateway;
