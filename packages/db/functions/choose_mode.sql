-- Chooses how an allowance is granted. Near the limit, each hold is decided by itself (`exact`). Between the two
-- bounds, the mode stays the same, so that it doesn't switch back and forth.
create or replace function choose_mode(mode text, free bigint, largest_hold bigint) returns text
  language sql immutable
  return case when free < 20::numeric * largest_hold then 'exact' when free > 40::numeric * largest_hold then 'slices' else mode end;
