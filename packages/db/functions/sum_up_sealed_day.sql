-- Adds up a day when it is closed, because its events don't change after that.
create or replace function sum_up_sealed_day() returns trigger
  language plpgsql security definer set search_path from current
as $$
begin
  perform sum_up_day(new.day);
  return null;
end
$$;

revoke execute on function sum_up_sealed_day from public;
