-- `ledger verify` runs as the worker, and compares every membership with the audit log.
grant select on team_members to tollgate_worker;
