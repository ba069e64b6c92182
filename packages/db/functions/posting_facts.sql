-- Returns the bytes of a posting that the chain entry of its transaction covers.
create or replace function posting_facts(seq smallint, source text, destination text, amount bigint) returns bytea
  language sql stable parallel safe
  return record_send(row(seq, source, destination, amount));
