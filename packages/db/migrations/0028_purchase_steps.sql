-- What a purchase went through, for whoever asks where their money is.
alter table purchases
  add column checkout_at     timestamptz, -- when the page on which it can be paid was opened
  add column transaction_id  text references ledger_transactions (id), -- the entry that credited it
  add column unblocked_teams integer not null default 0 check (unblocked_teams >= 0);

update purchases set checkout_at = created_at where checkout_url is not null;
update purchases set transaction_id = entry.id
  from ledger_transactions entry where entry.idempotency_key = 'purchase:' || purchases.id;

grant update (checkout_at, transaction_id, unblocked_teams) on purchases to tollgate_platform, tollgate_worker;
-- People may ask the payment provider before its turn comes, and then it need not be asked again at once.
grant update (asked_at) on purchases to tollgate_platform;
