-- Returns the bytes that a stored record counts with: its encrypted text, and 256 for its row and index entries, so that
-- many small records are not free. `recordBytes` in packages/domain computes the same.
create or replace function record_bytes(record text) returns bigint
  language sql immutable parallel safe
  return octet_length(record) + 256;
