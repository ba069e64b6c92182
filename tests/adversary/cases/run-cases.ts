import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import { sql } from "kysely";
import type { Case, CaseContext, CaseOutcome } from "../case.ts";
import { script } from "../upstream/script.ts";

const RUNS = 4;
const HEAD_DELAY_MS = 3_000;
/** A run's lease ends after 30 seconds. Then another worker takes the run over. */
const END_LIMIT_MS = 90_000;
const SETTLE_LIMIT_MS = 30_000;
const POLL_MS = 200;

export const runCases: readonly Case[] = [
  {
    name: "killed-run-workers",
    promise: "A run whose workers are killed with SIGKILL during a turn completes, and each turn is charged once",
    guards: "row 15, run leases",
    isQuick: false,
    isAlone: true,
    run: killRunWorkers,
  },
];

interface Run {
  readonly nonce: string;
  readonly threadId: string;
  readonly id: string;
}

interface Turn {
  readonly label: string;
  readonly state: string;
}

async function killRunWorkers(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  const { hostile, tollgate, ledger } = stage;
  const tenant = await context.addTenant();
  const problems: string[] = [];
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${tollgate.url}/v1${path}`, {
      method,
      headers: { "x-gw-api-key": tenant.apiKey, "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string; status: string; usage: { total_tokens: number } | null };
  };
  const assistant = await send("POST", "/assistants", { model: "mind" });
  const runs: Run[] = [];
  for (let count = 0; count < RUNS; count += 1) {
    const nonce = context.nonce();
    // The workers are killed while the first attempt waits for its headers.
    hostile.expect(nonce, script({ headDelayMs: HEAD_DELAY_MS }), script());
    const thread = await send("POST", "/threads", {
      messages: [{ role: "user", content: `Count for ${nonce} please.` }],
    });
    const { id } = await send("POST", `/threads/${thread.id}/runs`, { assistant_id: assistant.id });
    runs.push({ nonce, threadId: thread.id, id });
  }
  await Promise.all(runs.map(({ nonce }) => hostile.received(nonce)));
  for (const index of tollgate.workers.keys()) {
    const pid = tollgate.workerPid(index);
    if (pid === null) throw new Error(`there is no worker ${index}`);
    signalProcess(pid, "SIGKILL");
    stage.kills += 1;
  }
  const readStatus = ({ threadId, id }: Run) => send("GET", `/threads/${threadId}/runs/${id}`);
  const deadline = performance.now() + END_LIMIT_MS;
  let statuses = await Promise.all(runs.map(readStatus));
  while (
    statuses.some(({ status }) => status === "queued" || status === "in_progress") &&
    performance.now() < deadline
  ) {
    await pause(POLL_MS);
    statuses = await Promise.all(runs.map(readStatus));
  }
  for (const [index, run] of runs.entries()) {
    const { status } = statuses[index] as (typeof statuses)[number];
    if (status !== "completed") problems.push(`a run is ${status}`);
    const { rows: turns } = await sql<Turn>`
      select call_label as label, state from run_turns where run_id = ${run.id} order by number, attempt`.execute(
      ledger,
    );
    const stored = turns.filter(({ state }) => state === "stored").length;
    if (stored !== 1) problems.push(`a run of one turn stored ${stored}`);
    problems.push(...(await judgeTurns(context, run, turns)));
  }
  return { calls: [], problems };
}

/** Compares the charges of a run's turns with the upstream's bill. Waits until they agree, or until the time limit. */
async function judgeTurns({ stage }: CaseContext, { nonce }: Run, turns: readonly Turn[]): Promise<readonly string[]> {
  const { hostile, ledger } = stage;
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const { rows } = await sql<{ label: string; cost: bigint }>`
      select request_id as label, cost from usage_events
      where request_id in (${sql.join(turns.map(({ label }) => label))})`.execute(ledger);
    const charged = rows.reduce((sum, { cost }) => sum + cost, 0n);
    const billed = hostile.billOf(nonce);
    const attempts = hostile.attemptsOf(nonce).length;
    const isOncePerTurn = new Set(rows.map(({ label }) => label)).size === rows.length && rows.length === attempts;
    if (charged === billed && isOncePerTurn) return [];
    if (performance.now() > deadline) {
      return [`${nonce}: ${attempts} attempts cost ${billed}, and ${rows.length} rows charge ${charged}`];
    }
    await pause(POLL_MS);
  }
}
