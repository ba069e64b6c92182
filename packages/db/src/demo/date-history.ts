import { Client } from "pg";

/** Work that was done between two real times and that belongs to another time. */
export interface DatedStep {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Time to which `fromMs` belongs. */
  readonly atMs: number;
}

/**
 * Moves every time that the database recorded during the steps to the time to which the step belongs. The database has
 * no clock that can be set, so a history is written with the current time first. The user in the connection string must
 * own the tables, and nothing else may use the database. The chains of the audit log and the ledger are hashed again,
 * because their hashes cover the times.
 */
export async function dateHistory(connectionString: string, steps: readonly DatedStep[]): Promise<void> {
  const client = new Client({ connectionString, application_name: "tollgate dev --demo" });
  // A broken connection is reported by the query and by this event.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin");
    await client.query(STEPS);
    await client.query(
      "insert into pg_temp.demo_steps select * from json_to_recordset($1) as s (f float8, t float8, a float8)",
      [JSON.stringify(steps.map(({ fromMs, toMs, atMs }) => ({ f: fromMs, t: toMs, a: atMs })))],
    );
    for (const statement of [LIFT_GUARDS, DATE_COLUMNS, REHASH_AUDIT, REHASH_LEDGER, RESTORE_GUARDS])
      await client.query(statement);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

const STEPS = `
  create temporary table demo_steps (from_ms float8 primary key, to_ms float8 not null, at_ms float8 not null) on commit drop;
  create function pg_temp.demo_time(recorded timestamptz) returns timestamptz language sql stable as $$
    select coalesce((
      select recorded + make_interval(secs => (at_ms - from_ms) / 1000)
        from pg_temp.demo_steps
       where from_ms <= extract(epoch from recorded) * 1000 and extract(epoch from recorded) * 1000 < to_ms
    ), recorded)
  $$`;

// Ledger and audit rows reject every change, and tenant tables hide their rows, even from the owner of the tables.
const LIFT_GUARDS = `
  create temporary table guarded on commit drop as
    select c.oid::regclass as owner, c.relforcerowsecurity as is_forced
      from pg_class as c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition;
  do $$
  declare
    table_name regclass;
  begin
    for table_name in select owner from guarded loop
      execute format('alter table %s disable trigger user, no force row level security', table_name);
    end loop;
  end
  $$`;

const RESTORE_GUARDS = `
  do $$
  declare
    guard guarded;
  begin
    for guard in select * from guarded loop
      execute format('alter table %s enable trigger user', guard.owner);
      if guard.is_forced then
        execute format('alter table %s force row level security', guard.owner);
      end if;
    end loop;
  end
  $$`;

const DATE_COLUMNS = `
  do $$
  declare
    dated record;
  begin
    for dated in
      select g.owner, string_agg(format('%1$I = pg_temp.demo_time(%1$I)', a.attname), ', ') as changes,
             string_agg(format('%I >= (select to_timestamp(min(from_ms) / 1000) from pg_temp.demo_steps)', a.attname), ' or ')
               as affected
        from guarded as g join pg_attribute as a on a.attrelid = g.owner
       where a.atttypid = 'timestamptz'::regtype and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       group by g.owner
    loop
      execute format('update %s set %s where %s', dated.owner, dated.changes, dated.affected);
    end loop;
  end
  $$`;

const REHASH_AUDIT = `
  do $$
  declare
    entry    audit_log;
    previous bytea;
  begin
    for entry in select * from audit_log order by organization_id nulls first, seq loop
      if entry.seq = 1 then
        previous := null;
      end if;
      update audit_log
         set previous_hash = previous,
             hash = audit_hash(previous, id, organization_id, seq, at, actor, action, target, request_id, before, after)
       where id = entry.id
      returning hash into previous;
    end loop;
  end
  $$`;

const REHASH_LEDGER = `
  update ledger_chain as entry set usage_digest = stored.digest
    from (
      select e.organization_id, e.chain_seq as seq,
             sha256(string_agg(
               usage_facts(e) || usage_texts_digest(link.salt, e.id, e.request_id, e.end_user, e.session),
               ''::bytea order by e.id)) as digest
        from usage_events as e
        join ledger_chain as link on (link.organization_id, link.seq) = (e.organization_id, e.chain_seq)
       group by 1, 2
    ) as stored
   where (entry.organization_id, entry.seq) = (stored.organization_id, stored.seq);
  do $$
  declare
    entry    ledger_chain;
    paid     ledger_transactions;
    previous bytea;
  begin
    for entry in select * from ledger_chain order by organization_id, seq loop
      if entry.seq = 1 then
        previous := null;
      end if;
      select * into paid from ledger_transactions where id = entry.transaction_id;
      update ledger_chain
         set previous_hash = previous,
             hash = ledger_chain_hash(previous, organization_id, seq, created_at, salt,
               case when paid.id is not null then transaction_facts(paid, salt) end, usage_count, usage_since, usage_digest)
       where (organization_id, seq) = (entry.organization_id, entry.seq)
      returning hash into previous;
      update organization_quota set chain_hash = previous
       where organization_id = entry.organization_id and chain_seq = entry.seq;
    end loop;
  end
  $$`;
