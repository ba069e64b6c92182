import type { TamperCase } from "./tamper-case.ts";

/** Changes the description of the payer's grant that expires. Its chain entry keeps its hash. */
const CHANGED_DESCRIPTION =
  "update ledger_transactions set description = 'Refund' where id = (select id from grant_lots);";

/** Replaces the function that computes the hash of a chain entry by one that reads the stored hash. */
const STORED_HASH = `
  create or replace function ledger_chain_hash(
    previous bytea, of_organization text, seq bigint, created_at timestamptz, salt bytea, facts bytea, usage_count integer,
    usage_since date, usage_digest bytea
  ) returns bytea
    language sql stable parallel safe
    return (
      select hash from ledger_chain entry
       where entry.organization_id = of_organization and entry.seq = ledger_chain_hash.seq
    );`;

/**
 * Changes of the functions, tables, and settings that the verification itself uses, so that it would compare a row with
 * itself, or read another one.
 */
export const objectCases: readonly TamperCase[] = [
  {
    name: "tamper-function-chain",
    what: "a hash function that returns the stored hash, behind a changed description",
    rule: "C7",
    isQuick: true,
    sql: () => `${STORED_HASH} ${CHANGED_DESCRIPTION}`,
  },
  {
    name: "tamper-function-usage",
    what: "a function that returns the former facts of a changed request",
    rule: "C7",
    sql: ({ requestId }) => `
      create table former as select usage_facts(e) as facts from usage_events e where id = '${requestId}';
      grant select on former to tollgate_worker;
      alter function usage_facts(usage_events) rename to true_facts;
      create function usage_facts(e usage_events) returns bytea
        language sql stable parallel safe
        return case when e.id = '${requestId}' then (select facts from former) else true_facts(e) end;
      update usage_events set user_id = 2 where id = '${requestId}';`,
  },
  {
    name: "tamper-function-release",
    what: "a replaced function that is recorded as one of a later release",
    rule: "C7",
    sql: () => `${STORED_HASH} ${CHANGED_DESCRIPTION}
      update schema_functions set release = '99.0.0', checksum = 'other' where name = 'ledger_chain_hash';`,
  },
  {
    name: "tamper-overload",
    what: "a function with the name of one that the verification calls, for other argument types",
    rule: "C7",
    sql: () => `
      create function day_of_event(id text) returns date
        language sql immutable strict parallel safe
        return date '2020-01-01';`,
  },
  {
    name: "tamper-search-path",
    what: "a comparison of hashes in another schema, which the settings of the database put before PostgreSQL's own",
    rule: "C1",
    sql: () => `
      create function never(bytea, bytea) returns boolean language sql immutable return false;
      create operator <> (leftarg = bytea, rightarg = bytea, function = never);
      do $$ begin
        execute format('alter database %I set search_path = public, pg_catalog', current_database());
      end $$;
      ${CHANGED_DESCRIPTION}`,
  },
  {
    name: "tamper-operator",
    what: "an operator for a pair of types that PostgreSQL has none for",
    rule: "C7",
    sql: () => `
      create function joined(text, bigint) returns text language sql immutable return 'entry';
      create operator || (leftarg = text, rightarg = bigint, function = joined);`,
  },
  {
    name: "tamper-cast",
    what: "a cast that returns another text for an ID",
    rule: "C7",
    sql: () => `
      create function text_of(uuid) returns text language sql immutable return 'other';
      create cast (uuid as text) with function text_of(uuid);`,
  },
  {
    name: "tamper-event-trigger",
    what: "a replaced function, and an event trigger that replaces the one that it is compared with",
    rule: "C7",
    sql: () => `${STORED_HASH} ${CHANGED_DESCRIPTION}
      create function after_definition() returns event_trigger language plpgsql as $$
        declare
          made record;
        begin
          if current_setting('tampering.is_running', true) = 'yes' then return; end if;
          perform set_config('tampering.is_running', 'yes', true);
          for made in select from pg_event_trigger_ddl_commands()
                       where schema_name like 'pg_temp%' and object_identity like '%.ledger_chain_hash(%' loop
            execute replace(pg_get_functiondef('public.ledger_chain_hash'::regproc), 'public.ledger_chain_hash(',
              'pg_temp.ledger_chain_hash(');
          end loop;
          perform set_config('tampering.is_running', 'no', true);
        end $$;
      create event trigger after_definition on ddl_command_end when tag in ('CREATE FUNCTION')
        execute function after_definition();
      alter event trigger after_definition enable always;`,
  },
  {
    name: "tamper-view",
    what: "a view that shows a changed audit row as it was",
    rule: "C7",
    sql: ({ payer: { organizationId } }) => `
      create table former as select * from audit_log where organization_id = '${organizationId}' and action = 'log.viewed';
      alter table audit_log rename to audit_rows;
      create view audit_log as
        select * from audit_rows where id not in (select id from former) union all select * from former;
      grant select on audit_log to tollgate_worker;
      update audit_rows set action = 'member.added' where id in (select id from former);`,
  },
  {
    name: "tamper-view-catalog",
    what: "a view that hides audit rows, in the schema of PostgreSQL, which comes before the table",
    rule: "C7",
    sql: () => `
      set allow_system_table_mods = on;
      create view pg_catalog.audit_log as select * from public.audit_log where action <> 'log.viewed';
      grant select on pg_catalog.audit_log to tollgate_worker;`,
  },
  {
    name: "tamper-view-usage",
    what: "a view in place of the usage rows, which a function of the verification takes",
    rule: "C7",
    sql: () => `
      alter table usage_events rename to usage_rows;
      create view usage_events as select * from usage_rows;
      grant select on usage_events to tollgate_worker;`,
  },
  {
    name: "tamper-policy",
    what: "a row policy that hides a minted grant from the verification",
    rule: "C7",
    sql: () => `
      create policy hides on ledger_transactions as restrictive for select to tollgate_worker
        using (idempotency_key <> 'minted');`,
  },
];
