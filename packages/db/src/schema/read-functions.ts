import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The current text of a SQL function, with its grants, from the file that has its name. */
export interface SqlFunction {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Reads the functions of this build, in an order in which they can be created. */
export function readFunctions(folder = join(import.meta.dirname, "../../functions")): SqlFunction[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return orderFunctions(files.map((file) => readFunction(folder, file.slice(0, -".sql".length))));
}

/** Matches a line such as `-- functions: day_of_event, make_uuid_v7` in a migration whose next tables need them. */
const NEEDED_FUNCTIONS = /^-- functions: (.+)$/gm;

/** Puts the current text of the functions that a migration names where it names them. */
export function includeFunctions(sql: string, folder: string): string {
  return sql.replace(NEEDED_FUNCTIONS, (_line, names: string) =>
    // Bodies may name tables that the migration creates later.
    ["set local check_function_bodies = off;", ...names.split(", ").map((name) => readFunction(folder, name).sql)].join(
      "\n",
    ),
  );
}

function readFunction(folder: string, name: string): SqlFunction {
  return describeFunction(name, readFileSync(join(folder, `${name}.sql`), "utf8"));
}

export function describeFunction(name: string, sql: string): SqlFunction {
  return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
}

/**
 * Puts each function after the functions that PostgreSQL looks up when it creates the function. It looks up everything
 * outside a quoted body. Names inside a quoted body are looked up when the function runs.
 */
export function orderFunctions(functions: readonly SqlFunction[]): SqlFunction[] {
  const byName = new Map(functions.map((described) => [described.name, described]));
  const ordered = new Set<SqlFunction>();
  const add = (described: SqlFunction) => {
    if (ordered.has(described)) return;
    for (const name of namesCalledOutsideBody(described.sql)) {
      const needed = byName.get(name);
      if (needed !== undefined && needed !== described) add(needed);
    }
    ordered.add(described);
  };
  for (const described of functions) add(described);
  return [...ordered];
}

function namesCalledOutsideBody(sql: string): string[] {
  const text = sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "")
    .replace(/--.*$/gm, "")
    .replace(/'(?:[^']|'')*'/g, "''");
  return [...text.matchAll(/\b(\w+)\s*\(/g)].map((match) => match[1] as string);
}
