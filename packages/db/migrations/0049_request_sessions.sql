-- The session that a client names in its requests (decision 94); null without one, as for earlier requests.
alter table refused_calls add column session text;
-- Last, because this lock stops settlement until the end of the migration.
alter table usage_events add column session text;
