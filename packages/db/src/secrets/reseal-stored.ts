import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { runAsAdministrator, type TenantTransaction } from "../tenancy.ts";

/** Re-encrypts a value with the newest key, unless it already uses that key or can't be decrypted. */
export type Reseal = (sealed: string, purpose: string) => Resealed;

type Resealed =
  | { readonly kind: "fresh" }
  | { readonly kind: "resealed"; readonly sealed: string }
  | { readonly kind: "unreadable" };

export interface ResealReport {
  readonly name: string;
  /**
   * Number of encrypted values. `resealed` counts the re-encrypted values, and `unreadable` lists rows that couldn't be
   * decrypted.
   */
  readonly total: number;
  readonly resealed: number;
  readonly unreadable: readonly string[];
}

interface SealedTexts {
  readonly name: string;
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** Returns the encryption purpose for a row's values, as in the code that encrypts them. */
  readonly purpose: (key: string) => string;
}

/** All encrypted columns. New encrypted columns must be added here, or their data would be lost in a key rotation. */
const sealedTexts: readonly SealedTexts[] = [
  {
    name: "provider credentials",
    table: "provider_credentials",
    key: "provider_id",
    columns: ["api_key"],
    purpose: (id) => `provider:${id}`,
  },
  {
    name: "one-time-code secrets",
    table: "user_credentials",
    key: "user_id",
    columns: ["totp_secret"],
    purpose: (id) => `totp:${id}`,
  },
  {
    name: "signing keys",
    table: "signing_keys",
    key: "kid",
    columns: ["private_key"],
    purpose: (kid) => `signing-key:${kid}`,
  },
  { name: "webhook secrets", table: "webhooks", key: "id", columns: ["secret"], purpose: (id) => `webhook:${id}` },
  {
    name: "request contents",
    table: "call_contents",
    key: "id",
    columns: ["request", "answer"],
    purpose: () => "call content",
  },
  // Events of a streamed run are encrypted too, but expire within minutes, while the old key is still valid.
  assistantRecords("assistants", "assistants"),
  assistantRecords("threads", "threads"),
  assistantRecords("thread messages", "thread_messages"),
  assistantRecords("runs", "thread_runs"),
  assistantRecords("run steps", "run_steps"),
  { name: "responses", table: "responses", key: "id", columns: ["record"], purpose: (id) => `response:${id}` },
];

function assistantRecords(name: string, table: string): SealedTexts {
  return { name, table, key: "id", columns: ["record"], purpose: (id) => `assistants:${id}` };
}

const PAGE = 50;

/**
 * Re-encrypts values that use older keys, page by page, while the system is running. If a row changes concurrently, its
 * new value is kept, because it already uses the newest key. Safe to repeat at any time.
 */
export async function resealStored(db: Database, reseal: Reseal): Promise<readonly ResealReport[]> {
  const reports: ResealReport[] = [];
  for (const texts of sealedTexts) reports.push(await resealTable(db, texts, reseal));
  return reports;
}

async function resealTable(db: Database, texts: SealedTexts, reseal: Reseal): Promise<ResealReport> {
  let [total, resealed] = [0, 0];
  const unreadable: string[] = [];
  let after: string | null = null;
  while (true) {
    const page: readonly SealedText[] = await readPage(db, texts, after);
    for (const text of page.filter(({ sealed }) => sealed !== null) as (SealedText & { sealed: string })[]) {
      total += 1;
      const outcome = reseal(text.sealed, texts.purpose(text.key));
      if (outcome.kind === "unreadable") unreadable.push(text.key);
      if (outcome.kind === "resealed" && (await replace(db, texts, text, outcome.sealed))) resealed += 1;
    }
    const last = page.at(-1);
    if (last === undefined) return { name: texts.name, total, resealed, unreadable };
    after = last.key;
  }
}

interface SealedText {
  readonly key: string;
  readonly column: string;
  readonly sealed: string | null;
}

async function readPage(db: Database, texts: SealedTexts, after: string | null): Promise<readonly SealedText[]> {
  const key = sql.ref(texts.key);
  const rows = await act(db, async (transaction) => {
    const found = await sql<{ key: string; sealed: (string | null)[] }>`
      select ${key}::text as key, array[${sql.join(texts.columns.map((column) => sql.ref(column)))}] as sealed
        from ${sql.table(texts.table)}
       where ${after === null ? sql`true` : sql`${key} > ${after}`}
       order by ${key} limit ${PAGE}`.execute(transaction);
    return found.rows;
  });
  return rows.flatMap((row) =>
    texts.columns.map((column, index) => ({ key: row.key, column, sealed: row.sealed[index] ?? null })),
  );
}

/** Replaces the value only if it is unchanged since it was read, so that concurrent changes are not overwritten. */
async function replace(
  db: Database,
  texts: SealedTexts,
  { key, column, sealed }: SealedText,
  fresh: string,
): Promise<boolean> {
  const result = await act(db, (transaction) =>
    sql`update ${sql.table(texts.table)} set ${sql.ref(column)} = ${fresh}
        where ${sql.ref(texts.key)} = ${key} and ${sql.ref(column)} = ${sealed}`.execute(transaction),
  );
  return result.numAffectedRows === 1n;
}

/** Runs work with access to all encrypted values. Other transactions can read only some of these values. */
function act<T>(db: Database, work: (transaction: TenantTransaction) => Promise<T>): Promise<T> {
  return runAsAdministrator(db, async (transaction) => {
    await sql`select set_config('tollgate.door', 'on', true)`.execute(transaction);
    return work(transaction);
  });
}
