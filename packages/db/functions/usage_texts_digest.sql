-- Returns the salted digest of the texts in a usage row that a client chose and that can be erased; nothing if the client
-- chose none. Without a session, the bytes are those of rows from before sessions, so their chain entries stay valid.
create or replace function usage_texts_digest(salt bytea, id uuid, request_id text, end_user text, session text) returns bytea
  language sql stable parallel safe
  return case when session is not null then sha256(salt || record_send(row(id, request_id, end_user, session)))
    when end_user is null and request_id = id::text then ''::bytea
    else sha256(salt || record_send(row(id, request_id, end_user))) end;
