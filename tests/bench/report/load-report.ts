import { startBareJson } from "../contestants/bare-json.ts";
import { startBareSockets } from "../contestants/bare-sockets.ts";
import { startTollgate } from "../contestants/tollgate.ts";
import { describeMachine } from "../measure/describe-machine.ts";
import { measureSyncMs } from "../measure/measure-sync.ts";
import type { LoadRate } from "../options.ts";
import { measureSweep, type SweepStep } from "../sections/measure-sweep.ts";
import { bringOn, bringOnIfPossible, type Stage } from "../sections/stage.ts";
import { warmUpCalls } from "../sections/warm-up.ts";
import { latencyTable, sliceTable } from "./print-tables.ts";
import { threadTable } from "./thread-table.ts";
import { round, toRoundedLatency, toRoundedRow } from "./to-result.ts";

/** Measures the cost of a JSON call at several rates and returns the tables and the raw figures. */
export async function loadReport(
  stage: Stage,
  startedAt: string,
  rates: readonly LoadRate[],
): Promise<{ text: string; data: object }> {
  const bare = await bringOn(stage, startBareJson);
  const sockets = await bringOnIfPossible(stage, "bare-sockets", startBareSockets);
  const tollgate = await bringOn(stage, startTollgate);
  const others = sockets === null ? [tollgate] : [sockets, tollgate];
  const steps = await measureSweep(stage, bare, others, rates);
  const syncMs = measureSyncMs(stage.directory);
  await Promise.all([bare, ...others].map((contestant) => contestant.stop()));
  const data = {
    startedAt,
    rounds: stage.rounds,
    warmUpCalls: warmUpCalls(stage.isQuick),
    syncMs: round(syncMs, 3),
    machine: describeMachine(),
    load: steps.map((step) => ({
      rate: step.rate,
      rows: step.rate === "max" ? step.rows.map(toRoundedRow) : step.rows.map(toRoundedLatency),
    })),
  };
  return { text: steps.map((step) => toText(step, data, syncMs)).join("\n\n"), data };
}

function toText(step: SweepStep, run: { rounds: number; warmUpCalls: number }, syncMs: number): string {
  const table =
    step.rate === "max"
      ? sliceTable("JSON calls at saturation", run, step.rows)
      : latencyTable(`JSON calls at ${step.rate} per second`, step.rows, syncMs);
  return `${table}\n\n${threadTable(step.rows)}`;
}
