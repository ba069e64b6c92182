-- online
-- Only requests with a session are in these indexes, in the order of their sessions and times.
create index concurrently usage_events_session on usage_events (organization_id, session, id) where session is not null;
create index concurrently refused_calls_session on refused_calls (organization_id, session, id) where session is not null;
