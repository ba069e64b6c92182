import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../../packages/testkit/src/free-port.ts";
import { waitFor } from "../../../packages/testkit/src/wait-for.ts";
import { fillDatabase } from "./fill-database.ts";
import { importedTables } from "./imported-tables.ts";
import { createLitellmDatabase, type LitellmDatabase } from "./litellm-database.ts";

/**
 * Regenerates the fixture: a database with the tables from LiteLLM's own migrations, filled by a running LiteLLM proxy
 * through its management API. Takes about a minute and needs access to PyPI the first time.
 */
const MASTER_KEY = "sk-litellm-master-0123456789";
const SALT_KEY = "sk-litellm-salt-0123456789";
const START_LIMIT_MS = 120_000;

const here = import.meta.dirname;
const root = join(here, "../../..");
const [programs = "", version = ""] = execFileSync(join(root, "scripts/oracle-setup"), { encoding: "utf8" })
  .trim()
  .split(" ");
const database = await createLitellmDatabase(programs);
try {
  console.log(`LiteLLM ${version}: ${database.migrations.length} migrations`);
  const secrets = await withProxy(database, (call) => fillDatabase(call, database.connectionString));
  writeFixture(database.connectionString, secrets, database.migrations.at(-1) ?? "");
} finally {
  await database.drop();
}

async function withProxy<T>(
  { variables }: LitellmDatabase,
  work: (call: (path: string, body: object, key?: string) => Promise<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const server = spawn(
    join(programs, "uvicorn"),
    ["litellm.proxy.proxy_server:app", "--host", "127.0.0.1", "--port", String(port), "--log-level", "warning"],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        ...variables,
        CONFIG_FILE_PATH: join(here, "config.yaml"),
        LITELLM_SALT_KEY: SALT_KEY,
        LITELLM_LOCAL_MODEL_COST_MAP: "True",
        LITELLM_LOG: "CRITICAL",
      },
    },
  );
  try {
    const isUp = () =>
      fetch(`${origin}/health/liveliness`).then(
        ({ ok }) => ok || null,
        () => null,
      );
    await waitFor("LiteLLM's proxy", isUp, { limitMs: START_LIMIT_MS });
    return await work(async (path, body, key = MASTER_KEY) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`LiteLLM answered ${path} with ${answer.status}: ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    });
  } finally {
    server.kill("SIGKILL");
  }
}

function writeFixture(
  connectionString: string,
  secrets: Readonly<Record<string, string>>,
  lastMigration: string,
): void {
  const tables = importedTables.flatMap((table) => ["--table", `public."${table}"`]);
  const options = ["--no-owner", "--no-privileges", "--column-inserts", "--schema=public"];
  const dump = execFileSync("pg_dump", [...options, ...tables, connectionString], { encoding: "utf8" })
    .split("\n")
    // Remove psql commands, comments, and references to other tables.
    .filter((line) => !/^(?:\\|--|SET |SELECT pg_catalog)/.test(line))
    .join("\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
  const folder = join(here, "../fixture");
  mkdirSync(folder, { recursive: true });
  const facts = {
    madeBy: {
      litellm: version,
      lastMigration,
      postgres: execFileSync("pg_dump", ["--version"], { encoding: "utf8" }).trim(),
    },
    madeAt: new Date().toISOString(),
    saltKey: SALT_KEY,
    secrets,
  };
  writeFileSync(join(folder, "litellm.sql"), `${dump}\n`);
  writeFileSync(join(folder, "litellm.json"), `${JSON.stringify(facts, null, 2)}\n`);
  console.log(`tests/import-litellm/fixture: ${importedTables.length} tables, ${Object.keys(secrets).length} keys`);
}
