-- Returns the bytes of a ledger transaction that its chain entry covers, with the bytes of its postings and of its
-- purchase. Text that a person wrote enters as a salted digest, so that it could be erased. As in `usage_facts`, the bytes
-- must never change. Settlement calls this function directly, because one that reads tables can't be inlined and takes
-- longer than everything else about an entry.
create or replace function entry_facts(entry ledger_transactions, salt bytea, postings bytea, purchase bytea) returns bytea
  language sql stable parallel safe
  return record_send(row(
    entry.id, entry.kind, entry.organization_id, entry.idempotency_key, entry.body_digest, entry.reference, entry.actor,
    entry.balance_after, entry.created_at, sha256(salt || record_send(row(entry.id, entry.description, entry.metadata))),
    postings, purchase
  ));
