import { sql, type Transaction } from "kysely";
import manifest from "../../../package.json" with { type: "json" };
import { readFunctions, type SqlFunction } from "../../schema/read-functions.ts";
import type { Tables } from "../../tables.generated.ts";
import type { Difference } from "./invariant.ts";

/** Result of comparing the functions in the database with those of this build. */
export interface FunctionComparison {
  readonly differences: readonly Difference[];
  /** Number of functions, with those that another release applied. */
  readonly checked: number;
  /** IDs of the functions in the database that are this build's, or have their place. */
  readonly known: readonly number[];
  readonly names: readonly string[];
  /** Names of functions that another release applied. Their overloads are of that release, too. */
  readonly otherNames: readonly string[];
  /** Schemas other than Tollgate's that some functions search. */
  readonly searched: readonly string[];
}

/** A function as PostgreSQL describes it. Each property is the same if and only if the functions behave in the same way. */
interface Described {
  readonly id: number;
  readonly isExpected: boolean;
  readonly name: string;
  readonly argumentTypes: string;
  readonly owner: string;
  readonly settings: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * Compares the functions in a schema with those of this build. It creates this build's functions as temporary ones and
 * compares how PostgreSQL describes both, because a body that isn't quoted is stored as a tree, of which no text remains.
 * The caller's search path must begin with `pg_catalog` and the schema, and the caller rolls back.
 */
export async function compareFunctions(snapshot: Transaction<Tables>, schema: string): Promise<FunctionComparison> {
  const functions = readFunctions();
  const releases = await findOtherReleases(snapshot, functions);
  await sql`set local check_function_bodies = off`.execute(snapshot);
  await sql.raw(functions.map(asTemporary).join("\n")).execute(snapshot);
  const described = await describe(snapshot, schema, functions);
  const schemas = await readSchemas(snapshot);
  const found = new Map(described.filter(({ isExpected }) => !isExpected).map((one) => [keyOf(one), one]));
  const searched = new Set<string>();
  const differences: Difference[] = [];
  // Functions without a temporary one would not be compared, so this must not pass for equality.
  const created = new Set(described.filter(({ isExpected }) => isExpected).map(({ name }) => name));
  const uncreated = functions.find(({ name }) => !created.has(name));
  if (uncreated !== undefined) throw new Error(`the temporary function ${uncreated.name} is missing`);
  const known: number[] = [];
  for (const expected of described.filter(({ isExpected }) => isExpected)) {
    const actual = found.get(keyOf(expected));
    const { name, argumentTypes } = expected;
    if (actual !== undefined) {
      known.push(actual.id);
      for (const other of pathOf(actual, schemas).slice(1)) searched.add(other);
    }
    if (releases.has(name)) continue;
    const differing = actual === undefined ? [] : differingProperties(expected, actual, schemas);
    if (actual !== undefined && differing.length === 0) continue;
    differences.push({
      organizationId: null,
      subject: `function ${name}`,
      expected: `this build's ${name}(${argumentTypes})`,
      found: actual === undefined ? "none" : `another ${differing.join(", ")}`,
      amount: null,
    });
  }
  return {
    differences: [...differences, ...reportReleases(releases)],
    checked: known.length,
    known,
    names: functions.map(({ name }) => name),
    otherNames: [...releases.keys()],
    searched: [...searched],
  };
}

/**
 * Returns the release of each function whose recorded text is of another release. An attacker can edit this record, so
 * such functions are reported, too.
 */
async function findOtherReleases(
  snapshot: Transaction<Tables>,
  functions: readonly SqlFunction[],
): Promise<ReadonlyMap<string, string>> {
  const readable = await sql<{ isReadable: boolean }>`
    select coalesce(has_table_privilege(to_regclass('schema_functions'), 'select'), false) as "isReadable"`.execute(
    snapshot,
  );
  if (readable.rows[0]?.isReadable !== true) return new Map();
  const { rows } = await sql<{ name: string; checksum: string; release: string }>`
    select name, checksum, release from schema_functions order by name`.execute(snapshot);
  const checksums = new Map(functions.map(({ name, checksum }) => [name, checksum]));
  return new Map(
    rows
      .filter(({ name, checksum, release }) => {
        const own = checksums.get(name);
        return own !== undefined && own !== checksum && release !== manifest.version;
      })
      .map(({ name, release }) => [name, release]),
  );
}

/** Describes the functions of each other release as one difference, because an upgrade is not tampering. */
function reportReleases(releases: ReadonlyMap<string, string>): Difference[] {
  return [...new Set(releases.values())].sort().map((release) => {
    const names = [...releases].filter(([, other]) => other === release).map(([name]) => name);
    return {
      organizationId: null,
      subject: `functions ${names.join(", ")}`,
      expected: `functions of release ${manifest.version}`,
      found: `functions of release ${release}, which were not compared: verify with that release`,
      amount: null,
    };
  });
}

/** Matches quoted bodies, to skip them, and the grants outside of them. */
const GRANTS = /\$(\w*)\$[\s\S]*?\$\1\$|^(?:grant|revoke)\b[^;]*;/gim;
const DEFINITION = /^create or replace function /gim;

/** Returns the text of a function's file without its grants, for the schema of temporary objects. */
function asTemporary({ sql: text }: SqlFunction): string {
  return text
    .replace(GRANTS, (part) => (part.startsWith("$") ? part : ""))
    .replace(DEFINITION, "create function pg_temp.");
}

async function describe(
  snapshot: Transaction<Tables>,
  schema: string,
  functions: readonly SqlFunction[],
): Promise<readonly Described[]> {
  const { rows } = await sql<Described>`
    select p.oid::integer as id, p.pronamespace = pg_my_temp_schema() as "isExpected", p.proname::text as name,
      coalesce((select string_agg(format_type(type, null), ', ' order by place)
         from unnest(p.proargtypes::oid[]) with ordinality as argument (type, place)), '') as "argumentTypes",
      pg_get_userbyid(p.proowner)::text as owner, coalesce(p.proconfig, '{}') as settings,
      jsonb_build_object(
        'body', coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'library', p.probin, 'language', l.lanname,
        'kind', p.prokind, 'arguments', pg_get_function_arguments(p.oid), 'result', pg_get_function_result(p.oid),
        'volatility', p.provolatile, 'strictness', p.proisstrict, 'security', p.prosecdef, 'leakproofness', p.proleakproof,
        'parallel safety', p.proparallel, 'support function', p.prosupport::oid::bigint
      ) as properties
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.proname::text = any(${functions.map(({ name }) => name)})
      and p.pronamespace in (pg_my_temp_schema(), (select oid from pg_namespace where nspname = ${schema}))
    order by p.proname, p.oid`.execute(snapshot);
  return rows;
}

async function readSchemas(snapshot: Transaction<Tables>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select nspname::text as name from pg_namespace`.execute(snapshot);
  return new Set(rows.map(({ name }) => name));
}

function differingProperties(expected: Described, actual: Described, schemas: ReadonlySet<string>): string[] {
  const left = { ...expected.properties, settings: comparableSettings(expected, schemas) };
  const right: Readonly<Record<string, unknown>> = {
    ...actual.properties,
    settings: comparableSettings(actual, schemas),
  };
  return Object.entries(left)
    .filter(([property, value]) => JSON.stringify(value) !== JSON.stringify(right[property]))
    .map(([property]) => property)
    .sort();
}

/**
 * Returns the settings of a function with only the first schema of its search path. Functions keep the search path of the
 * session that created them, which usually ends with schemas that have no object of Tollgate.
 */
function comparableSettings(described: Described, schemas: ReadonlySet<string>): readonly string[] {
  const path = pathOf(described, schemas);
  const first = path.some((name) => RESERVED.has(name)) ? path.join(", ") : path[0];
  return described.settings.map((setting) => (setting.startsWith(SEARCH_PATH) ? `${SEARCH_PATH}${first}` : setting));
}

const SEARCH_PATH = "search_path=";
const RESERVED = new Set(["pg_catalog", "pg_temp"]);

/**
 * Returns the existing schemas that a function searches, without `pg_catalog` at the start and `pg_temp` at the end, where
 * they can't hide another schema's objects.
 */
function pathOf({ settings, owner }: Described, schemas: ReadonlySet<string>): readonly string[] {
  const setting = settings.find((one) => one.startsWith(SEARCH_PATH))?.slice(SEARCH_PATH.length) ?? "";
  const path = [...setting.matchAll(/"((?:[^"]|"")*)"|[^\s,]+/g)]
    .map(([text, quoted]) => (quoted === undefined ? text : quoted.replaceAll('""', '"')))
    .map((name) => (name === "$user" ? owner : name))
    .filter((name) => schemas.has(name) || name === "pg_temp");
  if (path[0] === "pg_catalog") path.shift();
  if (path.at(-1) === "pg_temp") path.pop();
  return path;
}

const keyOf = ({ name, argumentTypes }: Described): string => `${name}(${argumentTypes})`;
