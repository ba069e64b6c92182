import type { Client } from "pg";
import type { BackupTotals, Partition } from "./manifest.ts";

/** A table whose rows are backed up. */
export interface StoredTable {
  readonly name: string;
  /** Quoted SQL names, without generated columns. */
  readonly columns: readonly string[];
  readonly isPartitioned: boolean;
  /** True if row-level security hides rows from the connection. */
  readonly isHidden: boolean;
}

/**
 * Tables of Tollgate and its job queue. The tables that list migrations and functions are omitted because a restore
 * recreates them, and the change feed because its transaction IDs mean nothing elsewhere.
 */
const TABLES = `
  select c.oid::regclass::text as name, c.relkind = 'p' as "isPartitioned",
         (select json_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute as a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
         c.relrowsecurity and (c.relforcerowsecurity or not pg_has_role(c.relowner, 'usage'))
           and not (select rolsuper or rolbypassrls from pg_roles where rolname = current_user)
           and (exists (select from pg_policy as p where p.polrelid = c.oid and not p.polpermissive)
             or not exists (
               select from pg_policy as p
                where p.polrelid = c.oid and p.polcmd in ('r', '*') and pg_get_expr(p.polqual, p.polrelid) = 'true'
                  and exists (select from unnest(p.polroles) as r where r = 0 or pg_has_role(r, 'usage')))) as "isHidden"
    from pg_class as c
   where c.relkind in ('r', 'p') and not c.relispartition
     and (c.relnamespace = current_schema()::regnamespace and c.relname not in
       ('schema_migrations', 'schema_functions', 'schema_migration_failures', 'change_feed', 'change_feed_state')
       or c.relnamespace = to_regnamespace('graphile_worker') and c.relname <> 'migrations')
   order by 1`;

const PARTITIONS = `
  select i.inhparent::regclass::text as parent, c.oid::regclass::text as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
   where c.relispartition and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
   order by 2`;

const SEQUENCES = `
  select c.oid::regclass::text as name from pg_class as c
   where c.relkind = 'S' and c.relnamespace in (current_schema()::regnamespace, to_regnamespace('graphile_worker'))
   order by 1`;

const TOTALS = `
  select (select count(*) from organizations)::text as organizations,
         (select coalesce(sum(balance), 0) from organization_quota)::text as balance,
         (select count(*) from ledger_transactions)::text as transactions,
         (select coalesce(sum(amount), 0) from ledger_postings)::text as posted,
         (select count(*) from usage_events)::text as calls`;

export async function listTables(client: Client): Promise<StoredTable[]> {
  return (await client.query<StoredTable>(TABLES)).rows;
}

export async function listPartitions(client: Client): Promise<Partition[]> {
  return (await client.query<Partition>(PARTITIONS)).rows;
}

export async function readTotals(client: Client): Promise<BackupTotals> {
  return (await client.query<BackupTotals>(TOTALS)).rows[0] as BackupTotals;
}

/** Reads the position of each sequence. Sequences aren't transactional, so they must be read after all rows. */
export async function readSequences(client: Client) {
  const names = (await client.query<{ name: string }>(SEQUENCES)).rows.map(({ name }) => name);
  const sequences: { name: string; value: string; isCalled: boolean }[] = [];
  for (const name of names) {
    const { rows } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${name}`,
    );
    if (rows[0] !== undefined) sequences.push({ name, ...rows[0] });
  }
  return sequences;
}
