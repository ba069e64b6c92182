-- Changes that invalidate cached keys and models, for gateways that may have missed a notification (decision 96). The
-- transaction ID says which changes a gateway's last read could not see yet.
create table change_feed (
  transaction_id xid8        not null default pg_current_xact_id(),
  change         text        not null, -- the text of the notification
  created_at     timestamptz not null default now()
);
create index change_feed_transaction on change_feed (transaction_id);
create index change_feed_age on change_feed (created_at);

-- One row: which server's transaction IDs the feed has, and the newest change that was deleted. The recovery from a
-- crash, which can use transaction IDs again, empties an unlogged table, and so does the promotion of a standby. A
-- standby, whose snapshots lack running transactions, can't read it.
create unlogged table change_feed_state (
  is_only      boolean primary key default true check (is_only),
  server       uuid    not null default gen_random_uuid(),
  pruned_until xid8    not null default '0'
);

-- The functions reach the tables as their owner, which is a member of the worker's role.
alter table change_feed enable row level security;
alter table change_feed force row level security;
create policy worker_reaches_all on change_feed to tollgate_worker using (true) with check (true);
alter table change_feed_state enable row level security;
alter table change_feed_state force row level security;
create policy worker_reaches_all on change_feed_state to tollgate_worker using (true) with check (true);

-- functions: record_change, tollgate_send_user_notice
-- A key has the role of its user, if the user is a member of the key's organization.
create trigger user_notice after update of role, status, administrator_since on users
  for each row execute function tollgate_send_user_notice('id');
create trigger user_removed_notice after delete on users
  for each row execute function tollgate_send_user_notice('id');
create trigger member_notice after insert or update or delete on organization_members
  for each row execute function tollgate_send_user_notice('user_id');
create trigger price_list_notice after insert or update or delete on price_list_entries
  for each row execute function tollgate_send_budget_notice();
