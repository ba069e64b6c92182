-- Returns the salted digest of the values in a usage row that a client chose and that can be erased; nothing if the
-- client chose none.
create or replace function usage_personal_digest(salt bytea, id uuid, request_id text, end_user text) returns bytea
  language sql stable parallel safe
  return case when end_user is null and request_id = id::text then ''::bytea
    else sha256(salt || record_send(row(id, request_id, end_user))) end;
