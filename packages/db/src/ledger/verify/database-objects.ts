import { type RawBuilder, sql, type Transaction } from "kysely";
import { type Migration, readMigrations } from "../../schema/read-migrations.ts";
import type { Tables } from "../../tables.generated.ts";
import { compareFunctions, type FunctionComparison } from "./compare-functions.ts";
import type { CheckReport, Difference } from "./invariant.ts";

/** Objects with a smaller ID were created with the server's own catalog. */
const FIRST_ID = 16_384;
const MAX_SHOWN = 100;

/**
 * Checks that the functions, tables, and row policies that the other checks use are those of this build, because a
 * superuser of the database can replace them with ones that hide a change. Afterwards, the transaction is read-only, and
 * its search path contains only the schemas of PostgreSQL and Tollgate.
 */
export async function checkObjects(snapshot: Transaction<Tables>): Promise<CheckReport> {
  const session = await readSession(snapshot);
  // Settings of the role or the database can put another schema first. By default, PostgreSQL looks for temporary tables
  // before all others. `row_security` stays on: every table has policies for this role, so reading without them is
  // refused. The policies are compared instead.
  await sql`select set_config('search_path', ${`pg_catalog, ${session.quotedSchema}, pg_temp`}, true)`.execute(
    snapshot,
  );
  const tables = await checkTables(snapshot, session);
  const functions = await rolledBack(snapshot, () => checkFunctions(snapshot, session));
  await sql`set transaction read only`.execute(snapshot);
  const differences = [...functions.differences, ...tables.differences];
  return {
    id: "C7",
    title: "the functions, tables, and row policies that verification uses are those of this build",
    ok: differences.length === 0,
    checked: BigInt(functions.checked + tables.checked),
    differing: differences.length,
    differences: differences.slice(0, MAX_SHOWN),
  };
}

interface Session {
  readonly schema: string;
  readonly quotedSchema: string;
  /** Role of the connection, with its policies. */
  readonly role: string;
}

interface Finding {
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

interface Findings {
  readonly checked: number;
  readonly differences: readonly Difference[];
}

async function readSession(snapshot: Transaction<Tables>): Promise<Session> {
  const { rows } = await sql<Session>`
    select current_schema()::text as schema, quote_ident(current_schema()) as "quotedSchema",
      current_user::text as role`.execute(snapshot);
  return rows[0] as Session;
}

/** Undoes all changes of a check. A statement that the database refuses is a finding. */
async function rolledBack(snapshot: Transaction<Tables>, check: () => Promise<Findings>): Promise<Findings> {
  await sql`savepoint objects`.execute(snapshot);
  try {
    return await check();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // For example, a function takes the rows of a table that was renamed, or the server is a standby.
    const found = `not comparable: ${error.message}`;
    return {
      checked: 0,
      differences: [toDifference({ subject: "functions", expected: "those of this build", found })],
    };
  } finally {
    await sql`rollback to savepoint objects`.execute(snapshot);
  }
}

/** Reports whether the server refused a statement, as opposed to a lost connection, a timeout, or a shutdown. */
export function isRefusal(error: unknown): error is Error {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|53|57|58)/.test(code);
}

/** Compares the functions, then looks for objects that a statement could use in place of this build's or PostgreSQL's. */
async function checkFunctions(snapshot: Transaction<Tables>, { schema }: Session): Promise<Findings> {
  // The role of the processes can't read which release applied the functions.
  await sql`set local role none`.execute(snapshot);
  const compared = await compareFunctions(snapshot, schema);
  const schemas = ["pg_catalog", schema, ...compared.searched];
  const added = [overloads(compared, schemas), operators(schemas), casts, eventTriggers];
  return { checked: compared.checked, differences: [...compared.differences, ...(await find(snapshot, added))] };
}

/** Selects functions whose argument types could fit a call better. */
function overloads({ known, names, otherNames }: FunctionComparison, schemas: readonly string[]): RawBuilder<Finding> {
  return sql`
    select 'function ' || p.oid::regprocedure as subject, 'no other function of this name' as expected,
      'a function of the same name in the schema ' || nspname as found
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where nspname::text = any(${schemas}) and p.oid >= ${FIRST_ID}
      and not p.oid = any(${known}::oid[]) and not p.proname::text = any(${otherNames})
      and (p.proname::text = any(${names}) or exists (
        select from pg_proc own
        where own.proname = p.proname and own.pronamespace = 'pg_catalog'::regnamespace and own.oid < ${FIRST_ID}
      ))
      -- For the same argument types, the search path decides.
      and not exists (
        select from pg_proc own
        where own.proname = p.proname and own.pronamespace = 'pg_catalog'::regnamespace and own.oid < ${FIRST_ID}
          and own.proargtypes = p.proargtypes
      )`;
}

/** Selects operators whose argument types could fit an expression better. */
function operators(schemas: readonly string[]): RawBuilder<Finding> {
  return sql`
    select 'operator ' || o.oid::regoperator as subject, 'no other operator of this name' as expected,
      'an operator of the same name in the schema ' || nspname as found
    from pg_operator o join pg_namespace n on n.oid = o.oprnamespace
    where nspname::text = any(${schemas}) and o.oid >= ${FIRST_ID}
      and exists (select from pg_operator own where own.oprname = o.oprname and own.oid < ${FIRST_ID})
      and not exists (
        select from pg_operator own
        where own.oprname = o.oprname and own.oid < ${FIRST_ID} and own.oprleft = o.oprleft and own.oprright = o.oprright
      )`;
}

/** Casts from a type of PostgreSQL, or from the rows of a table, that a statement could use. */
const casts: RawBuilder<Finding> = sql`
  select 'cast from ' || format_type(castsource, null) || ' to ' || format_type(casttarget, null) as subject,
    'none' as expected, 'a cast' as found
  from pg_cast c join pg_type source on source.oid = castsource
  where c.oid >= ${FIRST_ID} and (castsource < ${FIRST_ID} or typtype = 'c')
    and (casttarget < ${FIRST_ID} or castcontext = 'i')`;

/** Event triggers that run for the functions that the check creates, and could change them. Those in C are of the server. */
const eventTriggers: RawBuilder<Finding> = sql`
  select 'event trigger ' || evtname as subject, 'none for functions' as expected, 'an event trigger' as found
  from pg_event_trigger join pg_proc p on p.oid = evtfoid join pg_language l on l.oid = p.prolang
  where evtenabled <> 'D' and evtevent like 'ddl_command_%' and lanname not in ('c', 'internal')
    and (evttags is null or 'CREATE FUNCTION' = any(evttags))`;

/** Checks that tables are tables that statements find, without rules and without policies that hide rows. */
async function checkTables(snapshot: Transaction<Tables>, { schema, role }: Session): Promise<Findings> {
  const names = namesOfTables(readMigrations());
  const tables = sql`
    with recursive tables as (
      select c.oid, relname, relkind, relrowsecurity, true as is_own
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = ${schema} and relname::text = any(${names})
      union all
      select c.oid, c.relname, c.relkind, c.relrowsecurity, false
      from tables join pg_inherits on inhparent = tables.oid join pg_class c on c.oid = inhrelid
      where tables.relkind = 'p'
    ), policies as (
      select tables.oid, relname, polname, polpermissive, pg_get_expr(polqual, polrelid) as condition
      from tables join pg_policy on polrelid = tables.oid
      where relrowsecurity and polcmd in ('r', '*')
        and exists (select from unnest(polroles) to_role where to_role = 0 or pg_has_role(${role}, to_role, 'usage'))
    )`;
  const { rows } = await sql<{ number: bigint }>`${tables} select count(*) as number from tables`.execute(snapshot);
  const found = await find(snapshot, [
    sql`${tables}
      select relname::text as subject, 'a table' as expected,
        case relkind when 'v' then 'a view' when 'm' then 'a materialized view' when 'f' then 'a foreign table'
          else 'another relation' end as found
      from tables where relkind not in ('r', 'p')`,
    sql`
      select relname || ' of pg_catalog' as subject, 'none' as expected, 'a relation of the same name' as found
      from pg_class
      where relnamespace = 'pg_catalog'::regnamespace and relname::text = any(${names})`,
    sql`${tables}
      select 'rule ' || rulename || ' of ' || relname as subject, 'none' as expected, 'a rule' as found
      from tables join pg_rewrite on ev_class = tables.oid where relkind in ('r', 'p')`,
    sql`${tables}
      select 'policy ' || polname || ' of ' || relname as subject, 'none' as expected,
        'a policy that hides rows' as found
      from policies where not polpermissive`,
    sql`${tables}
      select 'policies of ' || relname as subject, 'one that shows every row to ' || ${role} as expected, 'none' as found
      from tables
      where is_own and relrowsecurity and has_table_privilege(${role}, oid, 'select')
        and not exists (
          select from policies where policies.oid = tables.oid and polpermissive and condition = 'true'
        )`,
  ]);
  return { checked: Number(rows[0]?.number ?? 0n), differences: found };
}

/** Matches the tables that migrations create. The migrator itself creates the two that list what it applied. */
const TABLE = /^ *create (?:unlogged )?table (?:if not exists )?(\w+)/gim;
const MIGRATOR_TABLES = ["schema_migrations", "schema_functions"];

/** Returns the names of all tables, including those of earlier schemas. */
export function namesOfTables(migrations: readonly Migration[]): readonly string[] {
  const created = migrations.flatMap(({ sql: text }) => [...text.matchAll(TABLE)].map(([, name]) => name as string));
  return [...new Set([...created, ...MIGRATOR_TABLES])];
}

async function find(snapshot: Transaction<Tables>, statements: readonly RawBuilder<Finding>[]): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const statement of statements) {
    const { rows } = await sql<Finding>`${statement} order by 1`.execute(snapshot);
    found.push(...rows.map(toDifference));
  }
  return found;
}

const toDifference = (finding: Finding): Difference => ({ organizationId: null, ...finding, amount: null });
