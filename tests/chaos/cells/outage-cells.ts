import { setTimeout as pause } from "node:timers/promises";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import type { Program } from "@tollgate/testkit/processes/program.ts";
import type { Cell, CellContext } from "../cell.ts";
import type { Stage } from "../stage/stage.ts";
import { describeGateway } from "./gateway-cells.ts";
import { underLoad } from "./under-load.ts";

/**
 * Duration of an outage, longer than the time until a lease expires without its gateway and the worker detects the
 * expiry.
 */
const ABSENCE_MS = 42_000;

export const outageCells: readonly Cell[] = [
  {
    id: "F47",
    title: "all processes are killed simultaneously and started in random order",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 1, recoveryMs: 10_000, longShare: 0.03 }, async (until) => {
        do {
          await context.schedule.during("kill everything", async () => {
            const { postgres, redis, log } = stage.engines;
            const all: Program[] = [postgres, redis, ...log, stage.tollgate.gateways, ...stage.tollgate.workers];
            await Promise.all(all.map((program) => program.kill()));
            for (const program of shuffled(all, context)) await program.launch();
            await Promise.all(all.map((program) => program.awaitReady()));
          });
          await pause(12_000);
        } while (performance.now() < until);
      }),
  },
  {
    id: "AWAY",
    title: "gateway: killed and down for longer than its lease",
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0.1, recoveryMs: 2_000, longShare: 0.03 }, () =>
        keepDown(stage, context),
      ),
  },
];

/** Kills the gateway and freezes the supervisor, so that the gateway isn't restarted. */
async function keepDown(stage: Stage, context: CellContext): Promise<void> {
  const { gateways } = stage.tollgate;
  const before = describeGateway(stage, 0);
  const window = context.schedule.open("kill gateway 0 and keep it down");
  signalProcess(gateways.pid, "SIGSTOP");
  if (before.pid !== null) signalProcess(before.pid, "SIGKILL");
  stage.kills += 1;
  context.schedule.close(window);
  await pause(ABSENCE_MS);
  const back = context.schedule.open("let gateway 0 come back");
  signalProcess(gateways.pid, "SIGCONT");
  context.schedule.close(back);
  await stage.tollgate.awaitRestart(0, before);
}

function shuffled<T>(list: readonly T[], { random }: CellContext): T[] {
  return list
    .map((item) => ({ item, order: random.next() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item);
}
