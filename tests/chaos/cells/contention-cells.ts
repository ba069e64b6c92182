import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext, CellResult } from "../cell.ts";
import type { CallLog } from "../load/call-log.ts";
import type { Stage } from "../stage/stage.ts";
import { type Contest, runContest } from "./contest.ts";
import { judge } from "./under-load.ts";

type Admission = "strict" | "positive";

export const contentionCells: readonly Cell[] = [
  {
    id: "F42",
    title: "client: a thousand concurrent calls on a balance that covers a few",
    isQuick: true,
    run: (stage, context) => contend(stage, context),
  },
];

/** Allowances that the rounds compete for, in turn. Every third round runs without Redis. */
const ALLOWANCES = ["credit", "key", "team"] as const;

async function contend(stage: Stage, context: CellContext): Promise<CellResult> {
  const logs: CallLog[] = [];
  const problems: string[] = [];
  let overspendNano = 0n;
  const rounds = context.isQuick ? 4 : 200;
  // Most rounds use the strict rule, under which the expected result of every round is exact.
  const plan: readonly [Admission, number][] = [
    ["positive", Math.ceil(rounds / 4)],
    ["strict", rounds - Math.ceil(rounds / 4)],
  ];
  for (const [admission, count] of plan) {
    if (stage.tollgate.settings.admission !== admission) await stage.tollgate.restartGateways({ admission });
    for (let round = 0; round < count; round += 1) {
      const contest: Contest = {
        admission,
        allowance: ALLOWANCES[round % ALLOWANCES.length] as (typeof ALLOWANCES)[number],
        calls: context.isQuick ? 200 : 1_000,
        winners: context.random.integer(1, 40),
        nonce: `${context.prefix}${admission}-${round}-`,
      };
      const outcome = await withoutRedis(stage, round % 3 === 2, () => runContest(stage, contest));
      logs.push(...outcome.logs);
      overspendNano += outcome.overspendNano;
      problems.push(...outcome.problems);
      const shown = `${contest.allowance} for ${contest.winners}: ${outcome.served} of ${contest.calls} served`;
      context.print(`      ${admission} ${shown}${outcome.retries > 0 ? `, ${outcome.retries} asked again` : ""}`);
    }
  }
  await stage.tollgate.restartGateways({ admission: "positive" });
  const result = await judge(stage, context, { mostFailed: 0, recoveryMs: 0 }, logs, problems);
  return { ...result, overspendNano: result.overspendNano + overspendNano };
}

async function withoutRedis<T>(stage: Stage, isAway: boolean, work: () => Promise<T>): Promise<T> {
  if (!isAway) return work();
  await stage.engines.redis.stop();
  try {
    return await work();
  } finally {
    await stage.engines.redis.start();
    await pause(500);
  }
}
