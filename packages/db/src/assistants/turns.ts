import type { ChargedUsage, TurnUsage } from "@tollgate/domain/assistants/records.ts";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";
import type { Access } from "./access.ts";

/** One model call, recorded before it is made. */
export interface Turn {
  readonly number: number;
  readonly attempt: number;
  readonly label: string;
  readonly state: "started" | "stored" | "failed" | "lost";
  readonly usage: TurnUsage | null;
}

/** Reads all turns of a run, in call order. */
export async function readTurns({ transaction }: Access, runId: string): Promise<readonly Turn[]> {
  const rows = await transaction
    .selectFrom("run_turns")
    .selectAll()
    .where("run_id", "=", runId)
    .orderBy("number")
    .orderBy("attempt")
    .execute();
  return rows.map(({ number, attempt, call_label: label, state, prompt_tokens, completion_tokens }) => ({
    number,
    attempt,
    label,
    state,
    usage:
      prompt_tokens === null || completion_tokens === null
        ? null
        : { promptTokens: Number(prompt_tokens), completionTokens: Number(completion_tokens) },
  }));
}

/** Marks calls as lost if their responses will not be stored. Their usage comes from the ledger. */
export async function endStartedTurns({ transaction }: Access, runId: string): Promise<void> {
  await transaction
    .updateTable("run_turns")
    .set({ state: "lost" })
    .where("run_id", "=", runId)
    .where("state", "=", "started")
    .execute();
}

/** Time within which the usage of a call can still arrive in the ledger. */
const LATE_HOURS = 1;
const MAX_TURNS = 200;
/** Endpoints under which the ledger records a run's model call, and the moderation that a guardrail adds to it. */
const RUN = "assistants.run";
const MODERATION = "moderations";
/** Maximum lag of a gateway's clock behind the database clock. */
const SKEW_MS = 60_000;

/**
 * Calls whose cost is unknown: lost ones, and ones whose response was stored without its cost. The ledger also replaces the
 * usage that a response without a cost reported, because it contains what is charged.
 */
const isUnsettled = sql`state in ('lost', 'stored') and cost is null`;

/** Adds the usage of a run's unsettled calls to the run. Returns the number of calls that aren't in the ledger yet. */
export function settleTurns(db: Database, runId: string): Promise<number> {
  return settle(db, sql`t.run_id = ${runId}`);
}

/** Finds the unsettled calls of recent runs. */
export const recentUnsettledTurns = sql`
  select from run_turns
   where ${isUnsettled} and started_at > now() - ${LATE_HOURS} * interval '1 hour'`;

/** Like `settleTurns`, but for all recent runs. If a run has already ended, its totals are updated. */
export function settleAllTurns(db: Database): Promise<number> {
  return settle(db, sql`t.started_at > now() - ${LATE_HOURS} * interval '1 hour'`);
}

/** Returns a call's usage from the ledger, or null if it isn't recorded yet. */
export async function findTurnUsage(db: Database, label: string): Promise<ChargedUsage | null> {
  const { rows } = await sql<UnsettledTurn>`
    select t.run_id, t.call_label, t.started_at, r.organization_id
      from run_turns t join thread_runs r on r.id = t.run_id where t.call_label = ${label}`.execute(db);
  const usage = rows[0] === undefined ? null : await findInLedger(db, rows[0]);
  if (usage === null) return null;
  return { promptTokens: Number(usage.prompt), completionTokens: Number(usage.completion), cost: usage.cost };
}

interface UnsettledTurn {
  readonly run_id: string;
  readonly call_label: string;
  readonly started_at: Date;
  readonly organization_id: string | null;
}

/** Tenants take turns, because one of them can have any number of calls that never reach the ledger. */
async function settle(db: Database, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<UnsettledTurn>`
    select t.run_id, t.call_label, t.started_at, r.organization_id
      from (select * from run_turns where ${isUnsettled}) t join thread_runs r on r.id = t.run_id
     where ${condition}
     order by row_number() over (partition by r.organization_id order by t.started_at desc), t.started_at desc
     limit ${MAX_TURNS}`.execute(db);
  let unknown = 0;
  for (const turn of rows) {
    const usage = await findInLedger(db, turn);
    if (usage === null) unknown += 1;
    else await db.transaction().execute((transaction) => addUsage(transaction, turn, usage));
  }
  return unknown;
}

interface LedgerUsage {
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly cost: bigint;
}

interface RunTotals {
  readonly prompt_tokens: bigint;
  readonly completion_tokens: bigint;
  readonly cost: bigint | null;
}

/** Sums the known usage of a run's model calls. The cost is null until the cost of every call is known. */
export async function sumTurns(transaction: TenantTransaction, runId: string): Promise<RunTotals> {
  const { rows } = await sql<RunTotals>`
    select coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
           coalesce(sum(completion_tokens), 0)::bigint as completion_tokens,
           case when count(*) = count(cost) then coalesce(sum(cost), 0)::bigint end as cost
      from run_turns where run_id = ${runId}`.execute(transaction);
  return rows[0] ?? { prompt_tokens: 0n, completion_tokens: 0n, cost: 0n };
}

/**
 * Returns a call's usage and its cost, which includes that of guardrails; null until the call itself is in the ledger.
 * Filters by organization and ID to use the index. An ID begins with the time of its call. A client can send the label
 * as the ID of its own requests, so other endpoints don't count.
 */
async function findInLedger(db: Database, turn: UnsettledTurn): Promise<LedgerUsage | null> {
  const since = new Date(turn.started_at.getTime() - SKEW_MS);
  const organization =
    turn.organization_id === null ? sql`organization_id is null` : sql`organization_id = ${turn.organization_id}`;
  const { rows } = await sql<LedgerUsage>`
    select (sum(input_tokens + cache_read_tokens + cache_write_tokens) filter (where endpoint = ${RUN}))::bigint as prompt,
           (sum(output_tokens) filter (where endpoint = ${RUN}))::bigint as completion,
           sum(cost)::bigint as cost
      from usage_events
     where ${organization} and id >= ${firstIdAt(since)}::uuid and day >= ${since.toISOString().slice(0, 10)}::date
       and request_id = ${turn.call_label} and endpoint in (${RUN}, ${MODERATION})
    having bool_or(endpoint = ${RUN})`.execute(db);
  return rows[0] ?? null;
}

function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Locks the run first, like every writer that ends a run. If the run has already ended, adds the usage to its totals.
 * Otherwise, the totals will include the turn.
 */
async function addUsage(transaction: TenantTransaction, turn: UnsettledTurn, usage: LedgerUsage): Promise<void> {
  const run = await transaction
    .selectFrom("thread_runs")
    .select("ended_at")
    .where("id", "=", turn.run_id)
    .forUpdate()
    .executeTakeFirst();
  const { numUpdatedRows } = await transaction
    .updateTable("run_turns")
    .set({ prompt_tokens: usage.prompt, completion_tokens: usage.completion, cost: usage.cost })
    .where("call_label", "=", turn.call_label)
    .where("cost", "is", null)
    .executeTakeFirst();
  if (run === undefined || run.ended_at === null || numUpdatedRows === 0n) return;
  const totals = await sumTurns(transaction, turn.run_id);
  await transaction.updateTable("thread_runs").set(totals).where("id", "=", turn.run_id).execute();
}
