-- online
-- Only requests with a session are in these indexes, in the order of their sessions and times.
create index concurrently usage_events_session on usage_events (organization_id, session, id) where session is not null;
create index concurrently refused_calls_session on refused_calls (organization_id, session, id) where session is not null;
-- Calls of runs whose cost is not known yet. Workers look for recent ones in the ledger. The previous release uses the
-- index of lost calls.
create index concurrently run_turns_unsettled on run_turns (started_at) where cost is null and state in ('lost', 'stored');
-- A key without an organization sums its stored bytes over all organizations (decision 92).
create index concurrently stored_bytes_key on stored_bytes (key_id);
-- Each invitation counts the earlier ones to the same mailbox (decision 91). count_mailed_invitations has the same
-- expression.
create index concurrently invitations_mailbox on invitations (regexp_replace(email, '^([^+@]+)\+[^@]*@', '\1@'), created_at);
