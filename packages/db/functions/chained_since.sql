-- Returns the time from which every ledger transaction is in a chain when it is committed. Earlier ones were appended by a
-- worker after the upgrade.
create or replace function chained_since() returns timestamptz
  language sql stable
  return (select since from ledger_chain_start);
