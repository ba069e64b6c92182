import type { Cell, CellContext } from "../cell.ts";
import type { CallLog, CallPlan, HangUp } from "../load/call-log.ts";
import { makeCall } from "../load/make-call.ts";
import type { Stage } from "../stage/stage.ts";
import { judge } from "./under-load.ts";

const CHUNKS = 20;
const TOGETHER = 25;

/** Every point in a call at which a client can disconnect. */
const PLACES: readonly HangUp[] = [
  { at: "body" },
  ...[0, 2, 5, 10, 20, 40].map((afterMs) => ({ at: "answer", afterMs }) as const),
  ...Array.from({ length: CHUNKS }, (_, index) => ({ at: "chunk", chunk: index + 1 }) as const),
  { at: "end" },
];

export const disconnectCells: readonly Cell[] = [
  {
    id: "F38",
    title: "client: disconnects in every phase and after every chunk of a stream",
    isQuick: true,
    run: async (stage, context) => {
      const until = performance.now() + context.seconds * 1_000;
      const logs: CallLog[] = [];
      do logs.push(...(await disconnectEverywhere(stage, context, logs.length)));
      while (performance.now() < until);
      return judge(stage, context, { mostFailed: 0, recoveryMs: 0, settleLimitMs: 20_000 }, logs);
    },
  },
];

async function disconnectEverywhere(stage: Stage, context: CellContext, first: number): Promise<CallLog[]> {
  const plans: CallPlan[] = [];
  for (const model of ["reporting", "silent"] as const) {
    for (const isStream of [true, false]) {
      for (const hangUp of PLACES) {
        if (!isStream && (hangUp.at === "chunk" || hangUp.at === "end")) continue;
        const tenant = context.random.pick(stage.tenants.filter(({ isPoor }) => !isPoor));
        const nonce = `${context.prefix}${first + plans.length}`;
        const shape = { chunks: CHUNKS, gapMs: 5, tokensPerChunk: 5, delayMs: 15, maxTokens: 120 };
        plans.push({ nonce, tenant, model, isStream, hangUp, ...shape });
      }
    }
  }
  const logs: CallLog[] = [];
  for (let start = 0; start < plans.length; start += TOGETHER) {
    const group = plans.slice(start, start + TOGETHER);
    logs.push(...(await Promise.all(group.map((plan) => makeCall(stage.tollgate.url, plan)))));
  }
  return logs;
}
