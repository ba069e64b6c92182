import { querySql } from "@tollgate/testkit/database.ts";

/** Relations of Tollgate's own schema, without the partitions of single days, which depend on the date. */
const RELATIONS = `
  select c.* from pg_class as c
   where c.relnamespace = current_schema()::regnamespace and c.relname !~ '_\\d{8}(_|$)'`;

/** Rights in a form that does not depend on the order in which they were granted. */
const rights = (acl: string) => `
  (select string_agg(grantee::regrole || ':' || privilege_type || ':' || is_grantable, ' ' order by grantee::regrole::text, privilege_type)
     from aclexplode(${acl}))`;

const OBJECTS = `
  with relations as (${RELATIONS})
  select 'relation ' || relname as object,
         concat_ws(' | ', relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions,
           pg_get_expr(relpartbound, oid), ${rights("relacl")}) as definition
    from relations
  union all
  select 'column ' || relname || '.' || lpad(attnum::text, 3, '0'),
         concat_ws(' | ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
           pg_get_expr(adbin, adrelid), ${rights("attacl")})
    from relations join pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all
  select 'constraint ' || coalesce(relname, contypid::regtype::text) || '.' || conname,
         concat_ws(' | ', pg_get_constraintdef(c.oid), convalidated)
    from pg_constraint as c left join relations on relations.oid = conrelid
   where connamespace = current_schema()::regnamespace and (relations.oid is not null or contypid <> 0)
  union all
  select 'index ' || indexrelid::regclass, concat_ws(' | ', pg_get_indexdef(indexrelid), indisvalid)
    from pg_index join relations on relations.oid = indrelid
  union all
  select 'trigger ' || relname || '.' || tgname, pg_get_triggerdef(t.oid)
    from pg_trigger as t join relations on relations.oid = tgrelid where not tgisinternal
  union all
  select 'policy ' || relname || '.' || polname,
         concat_ws(' | ', polcmd, polpermissive, polroles::regrole[]::text, pg_get_expr(polqual, polrelid),
           pg_get_expr(polwithcheck, polrelid))
    from pg_policy join relations on relations.oid = polrelid
  union all
  select 'domain ' || typname, format_type(typbasetype, typtypmod)
    from pg_type where typnamespace = current_schema()::regnamespace and typtype = 'd'
  union all
  select 'function ' || oid::regprocedure, concat_ws(' | ', pg_get_functiondef(oid), ${rights("proacl")})
    from pg_proc where pronamespace = current_schema()::regnamespace
  union all
  select 'account ' || id, may_be_negative::text from ledger_accounts where organization_id is null
   order by 1, 2`;

/** Describes every object of a migrated database and its seed rows, so that two databases can be compared. */
export async function describeSchema(connectionString: string): Promise<Record<string, string>> {
  const rows = await querySql<{ object: string; definition: string }>(connectionString, OBJECTS);
  return Object.fromEntries(rows.map(({ object, definition }) => [object, definition]));
}
