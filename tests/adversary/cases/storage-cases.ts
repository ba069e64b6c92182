import { sql } from "kysely";
import type { Case, CaseContext, CaseOutcome } from "../case.ts";
import { script } from "../upstream/script.ts";

const WRITERS = 12;
const ATTACK_MS = { quick: 4_000, whole: 10_000 };
/** `assistants.stored_mb_without_credit` by default. */
const LIMIT_BYTES = 10_000_000;
/** Characters of one text. Messages and instructions have at most 256,000. */
const TEXT_LENGTH = 200_000;
const TEXTS_PER_THREAD = 4;
/** Size of the largest request of the attack, which covers the growth of its texts by encryption and encoding. */
const REQUEST_BYTES = 1.5 * TEXT_LENGTH * TEXTS_PER_THREAD;

export const storageCases: readonly Case[] = [
  {
    name: "stored-without-credit",
    promise: "An organization without credit stores at most 10 MB and one request, however fast it sends requests",
    guards: "row 18, decision 92",
    isQuick: true,
    run: storeWithoutCredit,
  },
];

/** Creates threads, messages, assistants, and responses on parallel connections, of which each tries all in turn. */
async function storeWithoutCredit(context: CaseContext): Promise<CaseOutcome> {
  const { stage, isQuick } = context;
  const tenant = await context.addTenant(0n);
  const problems: string[] = [];
  const text = "x".repeat(TEXT_LENGTH);
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${stage.tollgate.url}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${tenant.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { id, error } = (await answer.json()) as { id?: string; error?: { code: string } };
    return { status: answer.status, id, code: error?.code };
  };
  const message = { role: "user", content: text };
  const thread = await post("/threads", {});
  const writes: readonly (() => ReturnType<typeof post>)[] = [
    () => post("/threads", { messages: Array.from({ length: TEXTS_PER_THREAD }, () => message) }),
    () => post(`/threads/${thread.id}/messages`, message),
    () => post("/assistants", { model: "free", instructions: text }),
    () => {
      const nonce = context.nonce();
      stage.hostile.expect(nonce, script());
      return post("/responses", { model: "free", input: `Count for ${nonce} please. ${text}`, store: true });
    },
  ];
  const deadline = performance.now() + ATTACK_MS[isQuick ? "quick" : "whole"];
  const figures = { stored: 0, refused: 0, unavailable: 0 };
  const attack = async (offset: number) => {
    for (let turn = offset; performance.now() < deadline; turn += 1) {
      const { status, code } = await (writes[turn % writes.length] as (typeof writes)[number])();
      if (status === 200) figures.stored += 1;
      else if (status === 429 && code === "QUOTA_EXCEEDED") figures.refused += 1;
      // A busy machine may not get to a write in time.
      else if (status === 503) figures.unavailable += 1;
      else problems.push(`a write had status ${status} and code ${code}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => attack(index)));
  const bytes = await readStoredBytes(context, tenant.organizationId);
  const most = LIMIT_BYTES + REQUEST_BYTES;
  if (bytes > most) problems.push(`${bytes} bytes are stored instead of at most ${most}`);
  // Otherwise, the attack was too slow to reach the limit, and its result says nothing.
  if (figures.refused === 0) problems.push(`no write was refused, and ${bytes} bytes are stored`);
  return { calls: [], problems: [...new Set(problems)], figures: { ...figures, bytes } };
}

/** Sums the sizes of the records themselves, because the totals are what the attack could get around. */
async function readStoredBytes({ stage }: CaseContext, organizationId: string): Promise<number> {
  const tables = ["assistants", "threads", "thread_messages", "responses"];
  const records = tables.map(
    (table) =>
      sql`select octet_length(record) as bytes from ${sql.table(table)} where organization_id = ${organizationId}`,
  );
  const { rows } = await sql<{ bytes: bigint | null }>`
    select sum(bytes)::bigint as bytes from (${sql.join(records, sql` union all `)}) as records`.execute(stage.ledger);
  return Number(rows[0]?.bytes ?? 0n);
}
