import { Client } from "pg";

/** A raw LiteLLM row with the columns of its LiteLLM version. Timestamps are UTC strings without a time zone. */
export type LitellmRow = Readonly<Record<string, unknown>>;

const tables = {
  budgets: "LiteLLM_BudgetTable",
  organizations: "LiteLLM_OrganizationTable",
  organizationMembers: "LiteLLM_OrganizationMembership",
  teams: "LiteLLM_TeamTable",
  teamAliases: "LiteLLM_ModelTable",
  teamMembers: "LiteLLM_TeamMembership",
  users: "LiteLLM_UserTable",
  keys: "LiteLLM_VerificationToken",
  formerKeys: "LiteLLM_DeprecatedVerificationToken",
  models: "LiteLLM_ProxyModelTable",
  endUsers: "LiteLLM_EndUserTable",
  projects: "LiteLLM_ProjectTable",
} as const;

export type LitellmRows = Readonly<Record<keyof typeof tables, readonly LitellmRow[]>>;

/** Thrown if the database is not a LiteLLM database. */
export class NotLitellm extends Error {}

const CONNECT_LIMIT_MS = 5_000;
const ANSWER_LIMIT_MS = 120_000;

/** Reads LiteLLM's tables as one snapshot, in a read-only session. */
export async function readLitellm(connectionString: string): Promise<LitellmRows> {
  const client = new Client({
    connectionString,
    application_name: "tollgate import",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    // Prisma connection strings name the schema in a parameter that PostgreSQL doesn't support.
    const schema = URL.parse(connectionString)?.searchParams.get("schema");
    if (schema) await client.query("select set_config('search_path', $1, true)", [`"${schema.replaceAll('"', '""')}"`]);
    const rows: Record<string, readonly LitellmRow[] | null> = {};
    for (const [name, table] of Object.entries(tables)) rows[name] = await readTable(client, table);
    if (rows.keys === null || rows.teams === null) {
      throw new NotLitellm("this database (or schema) has no LiteLLM tables");
    }
    // Older versions lack some tables, which count as empty.
    return Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, list ?? []])) as unknown as LitellmRows;
  } finally {
    await client.end();
  }
}

async function readTable(client: Client, table: string): Promise<readonly LitellmRow[] | null> {
  const found = await client.query<{ exists: boolean }>("select to_regclass($1) is not null as exists", [`"${table}"`]);
  if (found.rows[0]?.exists !== true) return null;
  // Read the oldest rows first, so that new rows in the source don't change how earlier rows were imported.
  const { rows } = await client.query<{ row: LitellmRow }>(
    `select to_jsonb(t) as row from "${table}" t order by to_jsonb(t) ->> 'created_at', t::text`,
  );
  return rows.map(({ row }) => row);
}
