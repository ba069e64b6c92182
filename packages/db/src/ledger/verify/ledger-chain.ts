import { sql } from "kysely";
import { type Invariant, type Scope, within } from "./invariant.ts";

/**
 * A request that began later than this after a settlement was not part of it. The clocks of gateways should agree with the
 * database's within a second.
 */
const CLOCK_TOLERANCE = "1 hour";

/** A settlement takes less than this from its start, which is the time of its entries, to its commit. */
const SETTLEMENT_LIMIT = "10 minutes";

const entriesAreUnchanged: Invariant = {
  id: "C1",
  title: "each ledger transaction, with its postings and purchase, is the one that its chain entry covers",
  checked: "chainEntries",
  differences: (scope) => [
    sql`
      select nullif(entry.organization_id, 'instance') as organization_id,
        coalesce(entry.transaction_id, 'chain entry ' || entry.seq) as subject, 'the entry that was chained' as expected,
        case when paid.id is null then 'a different chain entry' else 'a different transaction or chain entry' end as found,
        null::bigint as amount
      from ledger_chain entry
      left join ledger_transactions paid on paid.id = entry.transaction_id
      where entry.hash <> ledger_chain_hash(entry.previous_hash, entry.organization_id, entry.seq, entry.created_at,
          entry.salt, case when paid.id is not null then transaction_facts(paid, entry.salt) end,
          entry.usage_count, entry.usage_since, entry.usage_digest)
        and (entry.transaction_id is null or paid.id is not null)
        and ${withinChain(scope)}`,
  ],
};

const chainsHaveNoGap: Invariant = {
  id: "C2",
  title: "each ledger chain is unbroken up to its recorded end, and contains every ledger transaction",
  checked: "chainEntries",
  differences: (scope) => [
    sql`
      with chained as (
        select *, lag(hash) over chain as hash_before, row_number() over chain as position
        from ledger_chain entry
        where ${withinChain(scope)}
        window chain as (partition by organization_id order by seq)
      )
      select nullif(organization_id, 'instance') as organization_id, 'chain entry ' || seq as subject,
        'entry ' || position || ' after ' || coalesce(encode(hash_before, 'hex'), 'nothing') as expected,
        'entry ' || seq || ' after ' || coalesce(encode(previous_hash, 'hex'), 'nothing') as found, null::bigint as amount
      from chained
      where previous_hash is distinct from hash_before or seq <> position`,
    sql`
      with last as (
        select distinct on (organization_id) organization_id, seq, hash
        from ledger_chain entry
        where ${withinChain(scope)} and organization_id <> 'instance'
        order by organization_id, seq desc
      ), kept as (
        select organization_id, chain_seq, chain_hash from organization_quota
        where (chain_seq > 0 or chain_hash is not null) and ${within(scope, "organization_id")}
      )
      select organization_id, 'end of the chain' as subject,
        coalesce('entry ' || chain_seq || ' ' || encode(chain_hash, 'hex'), 'nothing') as expected,
        coalesce('entry ' || seq || ' ' || encode(hash, 'hex'), 'nothing') as found, null::bigint as amount
      from kept full join last using (organization_id)
      where chain_seq is distinct from seq or chain_hash is distinct from hash`,
    sql`
      select nullif(entry.organization_id, 'instance') as organization_id, entry.transaction_id as subject,
        'a transaction of ' || entry.organization_id as expected,
        coalesce('a transaction of ' || coalesce(paid.organization_id, 'instance'), 'none') as found,
        null::bigint as amount
      from ledger_chain entry left join ledger_transactions paid on paid.id = entry.transaction_id
      where entry.transaction_id is not null
        and (paid.id is null or coalesce(paid.organization_id, 'instance') <> entry.organization_id)
        and ${withinChain(scope)}`,
    // The worker appends losses, and entries from before the chain. Until a day after an upgrade, it looks for entries that
    // the migration missed.
    sql`
      select paid.organization_id, paid.id as subject, 'in the chain of its organization' as expected,
        'in no chain' as found, null::bigint as amount
      from ledger_transactions paid
      where not exists (select from ledger_chain entry where entry.transaction_id = paid.id)
        and not (
          (paid.organization_id is null or paid.created_at < chained_since())
          and exists (select from unchained_transactions waiting where waiting.transaction_id = paid.id)
        )
        and not (
          now() < chained_since() + interval '1 day' and paid.created_at < chained_since()
          and paid.created_at >= chained_since() - interval '30 minutes'
        )
        and ${within(scope, "paid.organization_id")}`,
    // Otherwise, an entry could be dated back and then appended.
    sql`
      select paid.organization_id, paid.id as subject, 'chained when it was posted, at ' || paid.created_at as expected,
        'chained at ' || entry.created_at as found, null::bigint as amount
      from ledger_chain entry join ledger_transactions paid on paid.id = entry.transaction_id
      where entry.created_at <> paid.created_at and paid.organization_id is not null
        and paid.created_at >= chained_since() and ${withinChain(scope)}`,
    // A worker appends losses in the order of their time, whenever it runs.
    sql`
      with losses as (
        select paid.id, paid.created_at, max(paid.created_at) over (
            order by entry.seq rows between unbounded preceding and 1 preceding) as former_at
        from ledger_chain entry join ledger_transactions paid on paid.id = entry.transaction_id
        where entry.organization_id = 'instance' and ${withinChain(scope)}
      )
      select null::text as organization_id, id as subject, 'posted after the loss before it, at ' || former_at as expected,
        'posted at ' || created_at as found, null::bigint as amount
      from losses
      where created_at < former_at - ${SETTLEMENT_LIMIT}::interval`,
  ],
};

const usageIsUnchanged: Invariant = {
  id: "C3",
  title:
    "the usage rows of each settlement and the lost attempts of each loss are the ones that its chain entry covers",
  checked: "chainEntries",
  differences: (scope) => [
    sql`
      with rows as (
        select coalesce(event.chain_seq, earlier.seq) as seq, event.organization_id, event.id, event.request_id,
          event.end_user, event.session, usage_facts(event) as facts
        from usage_events event
        left join ledger_chain earlier
          on event.chain_seq is null and earlier.transaction_id = event.transaction_id
            and earlier.organization_id = event.organization_id
        where ${within(scope, "event.organization_id")} and event.organization_id is not null
      ), stored as (
        select rows.organization_id, rows.seq, count(*) as number,
          sha256(string_agg(rows.facts || coalesce(erased.digest,
            usage_texts_digest(entry.salt, rows.id, rows.request_id, rows.end_user, rows.session)),
            ''::bytea order by rows.id)) as digest,
          max(time_of_event(rows.id)) filter (where entry.usage_since < ${scope.keptSince}::date) as last_began_at
        from rows
        join ledger_chain entry on entry.organization_id = rows.organization_id and entry.seq = rows.seq
        left join ledger_erasures erased on erased.usage_id = rows.id
        group by rows.organization_id, rows.seq
      ), covered as (
        select entry.organization_id, entry.seq, entry.transaction_id, entry.usage_count, entry.usage_since, entry.usage_digest,
          -- An entry from before the chains was chained later than it was posted.
          least(entry.created_at, paid.created_at) as settled_at,
          coalesce(entry.usage_since < ${scope.keptSince}::date, false) as lacks_rows
        from ledger_chain entry left join ledger_transactions paid on paid.id = entry.transaction_id
        where ${withinChain(scope)} and entry.organization_id <> 'instance'
      )
      select organization_id, coalesce(covered.transaction_id, 'chain entry ' || seq) as subject,
        case when lacks_rows then 'fewer than ' || usage_count || ' requests, which began until ' || settled_at
          else coalesce(usage_count, 0) || ' requests, ' || coalesce(encode(usage_digest, 'hex'), 'nothing') end as expected,
        case when lacks_rows then stored.number || ' requests, which began until ' || last_began_at
          else coalesce(stored.number, 0) || ' requests, ' || coalesce(encode(stored.digest, 'hex'), 'nothing') end as found,
        null::bigint as amount
      from covered full join stored using (organization_id, seq)
      where case
        -- The rows of dropped days no longer exist, and the records of these days cover them. A row of a kept day can only
        -- belong to an entry that was made after the request began.
        when lacks_rows then stored.number >= usage_count or last_began_at > settled_at + ${CLOCK_TOLERANCE}::interval
        else coalesce(usage_count, 0) <> coalesce(stored.number, 0) or usage_digest is distinct from stored.digest end`,
    // Lost attempts are not dropped with their requests. Losses that an earlier build chained have no digest of them.
    sql`
      with stored as (
        select attempt.transaction_id, count(*) as number,
          sha256(string_agg(lost_attempt_facts(attempt), ''::bytea order by attempt.event_id, attempt.seq)) as digest,
          bool_and(attempt.created_at = paid.created_at) as is_posted_together
        from lost_attempts attempt join ledger_transactions paid on paid.id = attempt.transaction_id
        group by attempt.transaction_id
      )
      select null::text as organization_id, entry.transaction_id as subject,
        entry.usage_count || ' lost attempts, ' || encode(entry.usage_digest, 'hex') as expected,
        coalesce(stored.number, 0) || ' lost attempts, ' || coalesce(encode(stored.digest, 'hex'), 'nothing')
          || case when stored.is_posted_together then '' else ', of another time' end as found,
        null::bigint as amount
      from ledger_chain entry left join stored on stored.transaction_id = entry.transaction_id
      where entry.organization_id = 'instance' and entry.usage_digest is not null and ${withinChain(scope)}
        and (stored.digest is distinct from entry.usage_digest or stored.number <> entry.usage_count or not stored.is_posted_together)`,
    // Requests from before the chain that charged nothing are in no entry.
    sql`
      select event.organization_id, event.id::text as subject, 'in the chain of its organization' as expected,
        'in no chain' as found, null::bigint as amount
      from usage_events event
      where event.organization_id is not null and event.chain_seq is null and event.transaction_id is null
        and event.settled_at >= chained_since() and ${within(scope, "event.organization_id")}`,
    sql`
      select event.organization_id, event.id::text as subject, 'a chain entry ' || event.chain_seq as expected,
        'none' as found, null::bigint as amount
      from usage_events event
      where event.chain_seq is not null and ${within(scope, "event.organization_id")}
        and not exists (
          select from ledger_chain entry where entry.organization_id = event.organization_id and entry.seq = event.chain_seq
        )`,
    sql`
      select event.organization_id, event.id::text as subject, 'no text, because it was erased' as expected,
        'a text' as found, null::bigint as amount
      from ledger_erasures erased
      join usage_events event on event.day = day_of_event(erased.usage_id) and event.id = erased.usage_id
      where (event.end_user is not null or event.session is not null or event.request_id <> event.id::text)
        and ${within(scope, "event.organization_id")}`,
  ],
};

export const chainInvariants: readonly Invariant[] = [entriesAreUnchanged, chainsHaveNoGap, usageIsUnchanged];

const withinChain = (scope: Scope) => within(scope, "entry.organization_id");
