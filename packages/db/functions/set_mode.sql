-- Chooses how an allowance is granted. Near the limit, each hold is decided by itself (`exact`). Between the two
-- bounds, the mode stays the same, so that it doesn't switch back and forth. Each time that the allowance becomes exact,
-- its recall gets a new number: only leases from before it can have idle credit of slices.
create or replace function set_mode(purse leased_purse, free bigint) returns leased_purse
  language plpgsql
as $$
begin
  if free > 40::numeric * purse.largest_hold then
    purse.mode := 'slices';
  elsif free < 20::numeric * purse.largest_hold and purse.mode = 'slices' then
    purse.mode := 'exact';
    -- A time, so that the numbers also grow in a restored database.
    purse.recall := greatest(purse.recall + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint);
  end if;
  return purse;
end
$$;
