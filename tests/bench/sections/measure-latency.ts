import type { Contestant } from "../contestants/contestant.ts";
import { targetOf } from "../load/target-of.ts";
import { type Spread, spreadOf } from "../measure/statistics.ts";
import type { Stage } from "./stage.ts";

/** Calls per second. The headline figure uses the first rate. */
export const rates = [400, 1000] as const;

export interface LatencyRow {
  readonly name: string;
  readonly perSecond: number;
  readonly p50Ms: Spread;
  /** p50 minus the p50 of direct calls in the same round. */
  readonly addedP50Ms: Spread;
}

/** Measures latency at a fixed rate, directly and through each contestant, in turn. */
export async function measureLatency(
  stage: Stage,
  contestants: readonly Contestant[],
  atRates: readonly number[] = rates,
): Promise<LatencyRow[]> {
  const direct = { name: "direct", url: `http://127.0.0.1:${stage.upstream.port}`, headers: {}, rewritesModel: false };
  const rounds = stage.isQuick ? 2 : 4;
  const durationMs = stage.isQuick ? 1500 : 2500;
  const rows: LatencyRow[] = [];
  for (const perSecond of atRates) {
    const p50s = new Map<string, number[]>();
    for (let round = 1; round <= rounds; round += 1) {
      for (const contestant of [direct, ...contestants]) {
        stage.showProgress(`latency at ${perSecond}/s: round ${round} of ${rounds}, ${contestant.name}`);
        const target = targetOf(contestant, "json");
        const result = await stage.generator.runOpenLoop({ target, perSecond, durationMs });
        p50s.set(contestant.name, [...(p50s.get(contestant.name) ?? []), result.p50Ms]);
      }
    }
    const directP50s = p50s.get(direct.name) ?? [];
    for (const [name, values] of p50s) {
      const added = values.map((value, round) => value - (directP50s[round] ?? Number.NaN));
      rows.push({ name, perSecond, p50Ms: spreadOf(values), addedP50Ms: spreadOf(added) });
    }
  }
  return rows;
}
