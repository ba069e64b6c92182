-- Returns the bytes of a ledger transaction that its chain entry covers: the transaction, its postings, and the facts of
-- its purchase that never change.
create or replace function transaction_facts(entry ledger_transactions, salt bytea) returns bytea
  language sql stable
  return entry_facts(
    entry, salt,
    (select string_agg(posting_facts(seq, source, destination, amount), ''::bytea order by seq)
       from ledger_postings where transaction_id = entry.id),
    case when entry.kind = 'purchase' then (
      select record_send(row(id, organization_id, created_by, sha256(salt || record_send(row(id, idempotency_key))),
          body_digest, provider, amount, currency, created_at))
        from purchases where id = entry.reference
    ) end
  );
