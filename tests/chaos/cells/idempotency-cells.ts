import { setTimeout as pause } from "node:timers/promises";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { sql } from "kysely";
import type { Cell, CellContext } from "../cell.ts";
import type { Stage } from "../stage/stage.ts";
import { writePrompt } from "../upstream/instructions.ts";
import { killGateways } from "./gateway-cells.ts";
import { judge } from "./under-load.ts";

const RETRIES = 200;
/** The surviving gateway's call takes longer than a lease, so the lease must be renewed. */
const ANSWER_MS = { other: 20_000, own: 4_000 } as const;
const KILL_AFTER_MS = 1_500;
/** Long enough for the lease of an interrupted call to expire, which is when the interruption is detected. */
const PATIENCE_MS = 60_000;
const CREDIT = 1_000_000_000n;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly code: string | null;
}

export const idempotencyCells: readonly Cell[] = [
  {
    id: "F51",
    title:
      "gateway: killed while 200 retries with one Idempotency-Key wait, first the other one, then the caller's own",
    run: async (stage, context) => {
      const other = await retryAndKill(stage, context, "other");
      const own = await retryAndKill(stage, context, "own");
      const problems = [...other.problems, ...own.problems];
      const result = await judge(stage, context, { mostFailed: 1, recoveryMs: 5_000 }, [], problems);
      return { ...result, figures: { ...other.figures, ...own.figures } };
    },
  },
];

/** Kills one gateway while 200 clients send the same request with one key until each client has a response. */
async function retryAndKill(stage: Stage, context: CellContext, victim: "own" | "other") {
  const tenant = await addTenant(stage.platform, { credit: CREDIT });
  // This nonce lacks the cell's prefix, because these calls are checked here and not with the load.
  const nonce = `repeat-${context.prefix}${victim}`;
  const deadline = performance.now() + PATIENCE_MS;
  const asking = Array.from({ length: RETRIES }, () =>
    askUntilAnswered(stage, tenant, nonce, ANSWER_MS[victim], deadline),
  );
  await pause(KILL_AFTER_MS);
  const caller = await findCaller(stage, tenant);
  await killGateways(stage, context, [victim === "own" ? caller : 1 - caller]);
  const answers = await Promise.all(asking);
  const rows = await awaitRows(stage, tenant, deadline);
  const calls = stage.upstream.readRecords(nonce).get(nonce)?.length ?? 0;
  const kinds = new Set(answers.map((seen) => (seen === null ? "none" : `${seen.status} ${seen.text}`)));
  const isRight = (seen: Seen | null) =>
    victim === "other" ? seen?.status === 200 : seen?.code === "idempotency_outcome_unknown";
  const right = answers.filter(isRight).length;
  const problems: string[] = [];
  if (right !== RETRIES) problems.push(`${victim}: ${right} of ${RETRIES} were answered as they should be`);
  // Only successful responses must be identical, because each refusal contains its own call ID.
  if (victim === "other" && kinds.size !== 1) problems.push(`${kinds.size} different answers under one key`);
  if (calls !== 1) problems.push(`${victim}: ${calls} upstream calls under one key`);
  if (rows.length !== 1) problems.push(`${victim}: ${rows.length} ledger rows under one idempotency key`);
  if (victim === "other" && rows[0]?.cost === 0n) problems.push("the call was not charged");
  return { problems, figures: { [`${victim}Answered`]: right, [`${victim}UpstreamCalls`]: calls } };
}

/** Repeats the request until there is a response, like a client that wants exactly one call. */
async function askUntilAnswered(
  stage: Stage,
  tenant: Tenant,
  nonce: string,
  delayMs: number,
  deadline: number,
): Promise<Seen | null> {
  const instructions = { nonce, chunks: 1, gapMs: 0, tokensPerChunk: 20, delayMs };
  while (performance.now() < deadline) {
    try {
      const answer = await fetch(`${stage.tollgate.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-gw-api-key": tenant.apiKey,
          "idempotency-key": nonce,
          connection: "close",
        },
        body: JSON.stringify({
          model: "reporting",
          max_tokens: 40,
          messages: [{ role: "user", content: writePrompt(instructions) }],
        }),
      });
      const text = await answer.text();
      if (answer.status !== 503) return { status: answer.status, text, code: codeOf(text) };
    } catch {
      // The gateway was killed during the request.
    }
    await pause(50);
  }
  return null;
}

/** Returns the gateway that makes the call, which is the only one with leased credit for it. */
async function findCaller(stage: Stage, { organizationId }: Tenant): Promise<0 | 1> {
  const { rows } = await sql<{ nodeId: string }>`
    select node_id as "nodeId" from credit_leases where organization_id = ${organizationId}`.execute(stage.ledger);
  if (rows.length !== 1) throw new Error(`${rows.length} gateways hold credit for one call`);
  return stage.tollgate.readNode(0)?.nodeId === rows[0]?.nodeId ? 0 : 1;
}

async function awaitRows(stage: Stage, { organizationId }: Tenant, deadline: number) {
  for (;;) {
    const { rows } = await sql<{ cost: bigint }>`
      select cost from usage_events where organization_id = ${organizationId}`.execute(stage.ledger);
    if (rows.length > 0 || performance.now() > deadline) return rows;
    await pause(250);
  }
}

function codeOf(text: string): string | null {
  return (JSON.parse(text) as { error?: { code?: string } }).error?.code ?? null;
}
