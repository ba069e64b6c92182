import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext } from "../cell.ts";
import type { CallLog } from "../load/call-log.ts";
import { eraseLogNode } from "../stage/engines.ts";
import type { Stage } from "../stage/stage.ts";
import { judge, startLoad } from "./under-load.ts";

const EXPECTATION = { mostFailed: 1, recoveryMs: 60_000, settleLimitMs: 60_000 };

export const damageCells: readonly Cell[] = [
  {
    id: "F9",
    title:
      "gateway: one journal record is damaged while all gateways are down; only that record is lost, and it is reported",
    run: async (stage, context) => {
      const { tollgate } = stage;
      // Stop settlement, so that the journals contain data that can be lost.
      await Promise.all(tollgate.workers.map((worker) => worker.stop()));
      const load = await startLoad(stage, context, EXPECTATION);
      await pause(Math.min(context.seconds, 10) * 1_000);
      await load.stop();
      const window = context.schedule.open("kill the gateways and damage a record");
      await tollgate.gateways.kill();
      const nonce = damageRecord(stage, load.logs, context);
      // From here on, only the journals contain these calls.
      await Promise.all(stage.engines.log.map((node) => node.kill()));
      for (const node of stage.engines.log) eraseLogNode(node);
      await Promise.all(stage.engines.log.map((node) => node.start()));
      await tollgate.start();
      context.schedule.close(window);
      const logs = load.logs.map((log) => (log.plan.nonce === nonce ? forgotten(log) : log));
      const result = await judge(stage, context, EXPECTATION, logs);
      const isNamed = tollgate.gateways.hasPrinted("is damaged at");
      const problems = [...result.problems, ...(isNamed ? [] : ["the damage was not reported"])];
      return { ...result, problems };
    },
  },
];

/** Flips a bit in the last record of a complete call and returns the nonce of that call. */
function damageRecord(stage: Stage, logs: readonly CallLog[], { random }: CellContext): string {
  const root = stage.tollgate.settings.journalFolder;
  for (const gateway of readdirSync(root)) {
    const folder = join(root, gateway);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".seg"))) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      const found = logs.filter((log) => log.isComplete && bytes.includes(`${log.plan.nonce}`));
      if (found.length < 10) continue;
      const { nonce } = random.pick(found.slice(0, -5)).plan;
      const at = bytes.lastIndexOf(nonce);
      bytes[at + 1] = (bytes[at + 1] as number) ^ 1;
      writeFileSync(path, bytes);
      return nonce;
    }
  }
  throw new Error("no journal has a call to damage");
}

/** Relaxes the expectation for a call, so that only an overcharge counts as wrong. */
function forgotten(log: CallLog): CallLog {
  return { ...log, plan: { ...log.plan, hangUp: { at: "end" } }, isComplete: false, seenAtMs: [] };
}
