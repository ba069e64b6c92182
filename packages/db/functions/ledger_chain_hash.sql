-- Returns the hash of a chain entry. It covers the previous hash, the transaction, and the digest of the usage rows.
create or replace function ledger_chain_hash(
  previous bytea, of_organization text, seq bigint, created_at timestamptz, salt bytea, facts bytea, usage_count integer,
  usage_since date, usage_digest bytea
) returns bytea
  language sql stable parallel safe
  return sha256(record_send(
    row(previous, of_organization, seq, created_at, salt, facts, usage_count, usage_since, usage_digest)
  ));
