import type { Client } from "pg";

interface Guards {
  readonly constraints: readonly { readonly table: string; readonly name: string; readonly definition: string }[];
  readonly forced: readonly string[];
  readonly triggered: readonly string[];
}

const CONSTRAINTS = `
  select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
   where contype = 'f' and conparentid = 0 and conrelid = any ($1::regclass[])
   order by conrelid::regclass::text, conname`;
const FORCED =
  "select oid::regclass::text as name from pg_class where relforcerowsecurity and oid = any ($1::regclass[])";
const TRIGGERED = `
  select distinct tgrelid::regclass::text as name from pg_trigger where not tgisinternal and tgrelid = any ($1::regclass[])`;

/**
 * Drops or disables, inside a transaction, the constraints, triggers, and policies that check each row, so that rows
 * can be inserted in any order without side effects. Returns a function that restores them and thereby validates every
 * reference. `session_replication_role = replica` would need a superuser and would validate nothing.
 */
export async function liftGuards(client: Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { constraints, forced, triggered } = await readGuards(client, tables);
  for (const { table, name } of constraints) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const table of triggered) await client.query(`alter table ${table} disable trigger user`);
  for (const table of forced) await client.query(`alter table ${table} no force row level security`);
  return async () => {
    for (const { table, name, definition } of constraints) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const table of triggered) await client.query(`alter table ${table} enable trigger user`);
    for (const table of forced) await client.query(`alter table ${table} force row level security`);
  };
}

async function readGuards(client: Client, tables: readonly string[]): Promise<Guards> {
  const constraints = await client.query<Guards["constraints"][number]>(CONSTRAINTS, [tables]);
  const forced = await client.query<{ name: string }>(FORCED, [tables]);
  const triggered = await client.query<{ name: string }>(TRIGGERED, [tables]);
  return {
    constraints: constraints.rows,
    forced: forced.rows.map(({ name }) => name),
    triggered: triggered.rows.map(({ name }) => name),
  };
}
