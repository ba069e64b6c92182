-- Notifies workers and listeners that a run has changed.
create or replace function tell_of_run() returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('tollgate_run', new.run_id || ' ' || new.number);
  return null;
end
$$;
