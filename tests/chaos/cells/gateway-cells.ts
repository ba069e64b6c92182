import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import type { Cell, CellContext } from "../cell.ts";
import type { Load } from "../load/load.ts";
import type { Stage } from "../stage/stage.ts";
import { GATEWAY_PROCESSES } from "../stage/tollgate.ts";
import { underLoad } from "./under-load.ts";

/** Interval between faults that have no duration. */
const BETWEEN_MS = 2_000;

export const gatewayCells: readonly Cell[] = [
  {
    id: "F1",
    title: "gateway: one of two killed repeatedly",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.2, recoveryMs: 250, longShare: 0.03 }, async (until) => {
        for (let round = 0; performance.now() < until; round += 1) {
          const index = round % GATEWAY_PROCESSES;
          await killGateways(stage, context, [index]);
          await pause(BETWEEN_MS);
        }
      }),
  },
  {
    id: "F2",
    title: "gateway: both killed at the same time",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.5, recoveryMs: 2_000, longShare: 0.03 }, async (until, load) => {
        while (performance.now() < until) {
          await killGateways(stage, context, [0, 1]);
          await pause(BETWEEN_MS);
          await awaitQueuedCalls(load, context);
        }
      }),
  },
  {
    id: "F3",
    title: "gateway: restarted one by one",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0, longShare: 0.01 }, async (until) => {
        for (let round = 0; performance.now() < until || round < GATEWAY_PROCESSES; round += 1) {
          const index = round % GATEWAY_PROCESSES;
          const before = describeGateway(stage, index);
          await context.schedule.during(`SIGTERM gateway ${index}`, async () => {
            if (before.pid !== null) signalProcess(before.pid, "SIGTERM");
            await stage.tollgate.awaitRestart(index, before);
          });
          await pause(500);
        }
      }),
  },
  {
    id: "F4",
    title: "gateway: frozen for ten seconds",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.6, recoveryMs: 3_000 }, async (until) => {
        for (let round = 0; performance.now() < until; round += 1) {
          await freezeGateway(stage, context, round % GATEWAY_PROCESSES, 10_000);
          await pause(BETWEEN_MS);
        }
      }),
  },
  {
    id: "F4b",
    title: "gateway: frozen for longer than its lease",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.6, recoveryMs: 5_000, settleLimitMs: 90_000 }, async () => {
        await freezeGateway(stage, context, 0, 40_000);
        await pause(BETWEEN_MS);
      }),
  },
  {
    id: "F6",
    title: "gateway: event loop blocked for half a second",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        for (let round = 0; performance.now() < until; round += 1) {
          await freezeGateway(stage, context, round % GATEWAY_PROCESSES, 500);
          await pause(BETWEEN_MS);
        }
      }),
  },
];

/** Kills these gateway processes at the same time and resolves when all are running again. */
export async function killGateways(stage: Stage, context: CellContext, indexes: readonly number[]): Promise<void> {
  const before = indexes.map((index) => describeGateway(stage, index));
  await context.schedule.during(`kill gateway ${indexes.join(" and ")}`, () => {
    for (const { pid } of before) {
      if (pid === null) continue;
      signalProcess(pid, "SIGKILL");
      stage.kills += 1;
    }
  });
  await Promise.all(indexes.map((index, at) => stage.tollgate.awaitRestart(index, before[at] as Before)));
}

/**
 * Waits until most calls that arrived while no gateway was running have ended. On a slow machine, kills at a fixed
 * interval would let them accumulate until the load generator stops making calls.
 */
async function awaitQueuedCalls(load: Load, { rate }: CellContext): Promise<void> {
  while (load.underWay > 2 * rate) await pause(50);
}

interface Before {
  readonly pid: number | null;
  readonly epoch: number;
}

/** Returns the current process and epoch of the gateway with this index. */
export function describeGateway(stage: Stage, index: number): Before {
  return { pid: stage.tollgate.gatewayPid(index), epoch: stage.tollgate.readNode(index)?.epoch ?? 0 };
}

async function freezeGateway(stage: Stage, context: CellContext, index: number, ms: number): Promise<void> {
  const pid = stage.tollgate.gatewayPid(index);
  if (pid === null) return;
  await context.schedule.during(`freeze gateway ${index} for ${ms} ms`, async () => {
    signalProcess(pid, "SIGSTOP");
    await pause(ms);
    signalProcess(pid, "SIGCONT");
  });
}
