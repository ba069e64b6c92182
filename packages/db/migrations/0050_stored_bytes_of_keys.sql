-- A key without an organization sums its stored bytes over all organizations (decision 92).
create index stored_bytes_key on stored_bytes (key_id);
