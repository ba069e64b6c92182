-- Chooses how an allowance is granted.
-- Called only by functions up to schema 45, in statements that began before they were replaced. It stays until a
-- contract migration drops it.
create or replace function choose_mode(mode text, free bigint, largest_hold bigint) returns text
  language sql immutable
  return case when free < 20::numeric * largest_hold then 'exact' when free > 40::numeric * largest_hold then 'slices' else mode end;
