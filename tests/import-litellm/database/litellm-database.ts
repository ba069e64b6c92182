import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEmptyDatabase, querySql } from "../../../packages/testkit/src/database.ts";

/** A database with the tables from LiteLLM's own migrations. */
export interface LitellmDatabase {
  readonly connectionString: string;
  readonly migrations: readonly string[];
  /** Variables with which a LiteLLM proxy uses this database. */
  readonly variables: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

const whereExtras = "import litellm_proxy_extras, os; print(os.path.dirname(litellm_proxy_extras.__file__))";

/** Creates a database for the LiteLLM in this folder of programs. Needs the engines. */
export async function createLitellmDatabase(programs: string): Promise<LitellmDatabase> {
  const extras = execFileSync(join(programs, "python"), ["-c", whereExtras], { encoding: "utf8" }).trim();
  const migrations = readdirSync(join(extras, "migrations"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  const { connectionString, drop } = await createEmptyDatabase();
  try {
    for (const name of migrations) {
      await querySql(connectionString, readFileSync(join(extras, "migrations", name, "migration.sql"), "utf8"));
    }
  } catch (error) {
    await drop();
    throw error;
  }
  const variables = {
    // This folder contains the replacement for the client that Prisma generates.
    PYTHONPATH: import.meta.dirname,
    PYTHONDONTWRITEBYTECODE: "1",
    DATABASE_URL: connectionString,
    PRISMA_HEALTH_WATCHDOG_ENABLED: "false",
  };
  return { connectionString, migrations, variables, drop };
}
