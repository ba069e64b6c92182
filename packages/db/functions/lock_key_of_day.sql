-- Returns the key of a day's advisory lock. Settlement shares the lock; closing the day takes it exclusively.
create or replace function lock_key_of_day(day date) returns integer
  language sql immutable
  return day - date '2000-01-01';
