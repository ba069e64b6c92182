import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { sql } from "kysely";
import type { Cell, CellContext } from "../cell.ts";
import type { Load } from "../load/load.ts";
import { makeCall } from "../load/make-call.ts";
import type { Stage } from "../stage/stage.ts";
import type { Tenant } from "../stage/tenants.ts";
import { HOLD, planContestCall } from "./contest.ts";
import { underLoad } from "./under-load.ts";

const RECLAIM_AFTER_SECONDS = 2;
const RECLAIM_LIMIT_MS = 75_000;
const CALLS = 12;
/** Calls are in flight when the gateway freezes, and their responses are waiting when it resumes. */
const ANSWER_MS = 3_000;
const FREEZE_AFTER_MS = 1_000;

export const reclaimCells: readonly Cell[] = [
  {
    id: "R12",
    title: "gateway: unresponsive until others have its credit, then resumed; the overdraft is exact to the nano-USD",
    run: async (stage, context) => {
      const { reclaimAfterSeconds } = stage.tollgate.settings;
      await stage.tollgate.restart({ reclaimAfterSeconds: RECLAIM_AFTER_SECONDS });
      const added = await addTenant(stage.platform, { credit: HOLD * BigInt(CALLS) });
      const tenant: Tenant = { ...added, isPoor: true };
      const result = await underLoad(stage, context, { mostFailed: 0.6, recoveryMs: 5_000 }, (_, load) =>
        spendTwice(stage, context, tenant, load),
      );
      await stage.tollgate.restart({ reclaimAfterSeconds });
      const named = result.ledger.explained.filter(({ organizationId }) => organizationId === tenant.organizationId);
      const amount = named.reduce((sum, explanation) => sum + explanation.amount, 0n);
      context.print(`      ${amount} nano-USD beyond the balance are explained by ${named.length} calls`);
      const problems = amount > 0n ? [] : ["no overdraft was named"];
      return { ...result, problems: [...result.problems, ...problems] };
    },
  },
];

/** Lets other gateways spend the reserved credit of an unresponsive gateway, which then resumes with its own calls. */
async function spendTwice(stage: Stage, context: CellContext, tenant: Tenant, load: Load): Promise<void> {
  const { url } = stage.tollgate;
  const call = (name: string, delayMs: number) =>
    makeCall(url, planContestCall(tenant, context.prefix + name, delayMs));
  const early = Array.from({ length: CALLS }, (_, index) => call(`early-${index}`, ANSWER_MS));
  await pause(FREEZE_AFTER_MS);
  const index = await findBusiest(stage, tenant);
  const pid = stage.tollgate.gatewayPid(index);
  if (pid === null) throw new Error(`there is no gateway ${index}`);
  await context.schedule.during(`freeze gateway ${index} until its credit is given back`, async () => {
    signalProcess(pid, "SIGSTOP");
    const deadline = performance.now() + RECLAIM_LIMIT_MS;
    while (!(await isReclaimed(stage, tenant))) {
      if (performance.now() > deadline) break;
      await pause(500);
    }
    for (let index = 0; index < CALLS; index += 1) load.logs.push(await call(`late-${index}`, 10));
    signalProcess(pid, "SIGCONT");
  });
  load.logs.push(...(await Promise.all(early)));
}

/**
 * Returns the gateway that has leased the most credit from this organization. New connections aren't spread evenly
 * across the gateways.
 */
async function findBusiest(stage: Stage, { organizationId }: Tenant): Promise<number> {
  const { rows } = await sql<{ nodeId: string }>`
    select node_id as "nodeId" from credit_leases where organization_id = ${organizationId}
    order by outstanding desc limit 1`.execute(stage.ledger);
  return stage.tollgate.readNode(0)?.nodeId === rows[0]?.nodeId ? 0 : 1;
}

async function isReclaimed(stage: Stage, { organizationId }: Tenant): Promise<boolean> {
  const { rows } = await sql`
    select from credit_leases where organization_id = ${organizationId} and reclaimed > 0`.execute(stage.ledger);
  return rows.length > 0;
}
