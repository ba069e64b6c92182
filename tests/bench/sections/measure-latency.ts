import type { Contestant } from "../contestants/contestant.ts";
import type { LatencyResult } from "../load/commands.ts";
import { targetOf } from "../load/target-of.ts";
import type { ThreadTimes } from "../measure/process-usage.ts";
import { mediansByName, type Spread, spreadOf } from "../measure/statistics.ts";
import type { Stage } from "./stage.ts";

/** Calls per second. The headline figure uses the first rate. */
export const rates = [400, 1000] as const;

/** Calls that a round has at least, so that its median is not one of a few. */
const minCalls = { quick: 60, full: 120 };

export interface LatencyRow {
  readonly name: string;
  readonly perSecond: number;
  readonly p50Ms: Spread;
  /** p50 minus the p50 of direct calls in the same round. */
  readonly addedP50Ms: Spread;
  /** CPU time of all processes per call, including what they use without any calls. 0 for direct calls. */
  readonly cpuMicros: Spread;
  readonly threadMicros: ThreadTimes;
}

/** Measures latency at a fixed rate, directly and through each contestant, in turn. */
export async function measureLatency(
  stage: Stage,
  contestants: readonly Contestant[],
  atRates: readonly number[] = rates,
): Promise<LatencyRow[]> {
  const direct = {
    name: "direct",
    url: `http://127.0.0.1:${stage.upstream.port}`,
    headers: {},
    rewritesModel: false,
    pids: () => [],
  };
  const rounds = stage.isQuick ? 2 : 4;
  const rows: LatencyRow[] = [];
  for (const perSecond of atRates) {
    const results = new Map<string, LatencyResult[]>();
    for (let round = 1; round <= rounds; round += 1) {
      for (const contestant of [direct, ...contestants]) {
        stage.showProgress(`latency at ${perSecond}/s: round ${round} of ${rounds}, ${contestant.name}`);
        const result = await stage.generator.runOpenLoop({
          target: targetOf(contestant, "json"),
          perSecond,
          durationMs: durationMs(perSecond, stage.isQuick),
          pids: contestant.pids(),
        });
        results.set(contestant.name, [...(results.get(contestant.name) ?? []), result]);
      }
    }
    const directResults = results.get(direct.name) ?? [];
    for (const [name, values] of results) {
      const added = values.map(({ p50Ms }, round) => p50Ms - (directResults[round]?.p50Ms ?? Number.NaN));
      rows.push({
        name,
        perSecond,
        p50Ms: spreadOf(values.map(({ p50Ms }) => p50Ms)),
        addedP50Ms: spreadOf(added),
        cpuMicros: spreadOf(values.map(({ cpuMicros }) => cpuMicros)),
        threadMicros: mediansByName(values.map(({ threadCpuMicros }) => threadCpuMicros)),
      });
    }
  }
  return rows;
}

function durationMs(perSecond: number, isQuick: boolean): number {
  const calls = isQuick ? minCalls.quick : minCalls.full;
  return Math.max(isQuick ? 1500 : 2500, (calls * 1000) / perSecond);
}
