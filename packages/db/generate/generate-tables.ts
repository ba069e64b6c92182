import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";

export const TABLES_FILE = join(import.meta.dirname, "../src/tables.generated.ts");

const TYPES: Record<string, string> = {
  text: "string",
  int2: "number",
  int4: "number",
  int8: "bigint",
  float8: "number",
  bool: "boolean",
  bytea: "Buffer",
  date: "string",
  timestamptz: "Date",
  jsonb: "Record<string, unknown>",
  uuid: "string",
  xid8: "string",
  _text: "string[]",
  _int4: "number[]",
  string_list: "string[]",
  string_map: "Record<string, string>",
  limit_map: "Record<string, number>",
};

const COLUMNS = `
  select c.relname as "table", a.attname as "column", t.typname as type, not a.attnotnull as nullable,
         a.atthasdef or a.attidentity <> '' as "hasDefault",
         (select pg_get_constraintdef(k.oid) from pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
             and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%') as choices
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname not in ('schema_migrations', 'schema_functions')
   order by c.relname, a.attnum`;

/** Returns the table types of a migrated database as source text. The same schema always produces the same text. */
export async function renderTables(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(COLUMNS);
    const tables = Map.groupBy(rows, (column) => column.table);
    return [
      "// Generated from the migrations by packages/db/generate/generate-tables.ts. Do not edit.",
      'import type { Generated } from "kysely";',
      "",
      ...[...tables].map(([table, columns]) => renderTable(table, columns)),
      "export interface Tables {",
      ...[...tables.keys()].map((table) => `  ${table}: ${typeName(table)};`),
      "}",
      "",
    ].join("\n");
  } finally {
    await client.end();
  }
}

function renderTable(table: string, columns: readonly Column[]): string {
  return [
    `export interface ${typeName(table)} {`,
    ...columns.map((column) => `  ${column.column}: ${renderType(column)};`),
    "}",
    "",
  ].join("\n");
}

function renderType(column: Column): string {
  const plain = column.choices === null ? TYPES[column.type] : renderChoices(column.choices);
  if (plain === undefined)
    throw new Error(`${column.table}.${column.column} has the type ${column.type}, which has no TypeScript type yet`);
  const type = column.nullable ? `${plain} | null` : plain;
  return column.hasDefault ? `Generated<${type}>` : type;
}

/** A check such as `status in ('active', 'blocked')` becomes a union. */
function renderChoices(constraint: string): string {
  return [...constraint.matchAll(/'([^']*)'::text/g)].map((match) => JSON.stringify(match[1])).join(" | ");
}

function typeName(table: string): string {
  return `${table.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Table`;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  readonly choices: string | null;
}

if (import.meta.main) {
  const connectionString = process.env.DATABASE_URL;
  if (connectionString === undefined) throw new Error("DATABASE_URL must name a migrated database");
  writeFileSync(TABLES_FILE, await renderTables(connectionString));
}
