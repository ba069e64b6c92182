-- Calls of runs whose cost is not known yet. Workers look for recent ones in the ledger. The previous release uses the
-- index of lost calls.
create index run_turns_unsettled on run_turns (started_at) where cost is null and state in ('lost', 'stored');
