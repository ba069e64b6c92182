import type { Contestant } from "../contestants/contestant.ts";
import type { SliceResult } from "../load/commands.ts";
import { type CallKind, targetOf } from "../load/target-of.ts";
import type { ThreadTimes } from "../measure/process-usage.ts";
import { mean, mediansByName, type Spread, spreadOf } from "../measure/statistics.ts";
import { cores, everyCore } from "../processes/cores.ts";
import { moveToCores } from "../processes/move-to-cores.ts";
import { connections, type Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

const sliceMs = 1000;

/**
 * Figures for one contestant. Ratios compare each of its slices with the mean of the baseline slices before and after
 * it.
 */
export interface SliceRow {
  readonly name: string;
  readonly callsPerSecond: Spread;
  readonly cpuMicros: Spread;
  /** Median CPU time per call of each group of threads, in microseconds. */
  readonly threadMicros: ThreadTimes;
  /** Share of its core that the contestant used. A value well below 1 means that the load generator was the limit. */
  readonly coreShare: Spread;
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
  /** Ratio in each round, for comparing two contestants. */
  readonly ratios: readonly number[];
}

interface Figures {
  readonly callsPerSecond: number;
  readonly cpuMicros: number;
  readonly threadMicros: ThreadTimes;
  readonly coreShare: number;
}

type Ratios = Omit<Figures, "threadMicros">;

/**
 * Saturates the baseline and the contestants in turn, slice by slice, so that a busy machine affects all of them
 * equally.
 */
export async function runSlices(
  stage: Stage,
  kind: CallKind,
  base: Contestant,
  others: readonly Contestant[],
  moreBytes = 0,
): Promise<SliceRow[]> {
  const slices = new Map([base, ...others].map((contestant) => [contestant.name, [] as Figures[]]));
  const ratios = new Map([base, ...others].map((contestant) => [contestant.name, [] as Ratios[]]));

  const measure = async (contestant: Contestant, round: number): Promise<Figures> => {
    stage.showProgress(`${kind}: round ${round} of ${stage.rounds}, ${contestant.name}`);
    const target = targetOf(contestant, kind, moreBytes);
    const pids = contestant.pids();
    if (contestant.isUnpinned) moveToCores(pids, everyCore);
    const figures = toFigures(
      await stage.generator.runClosedLoop({ target, connections, end: { afterMs: sliceMs }, pids }),
    );
    if (contestant.isUnpinned) moveToCores(pids, String(cores.contestant));
    slices.get(contestant.name)?.push(figures);
    return figures;
  };

  // An unpinned contestant is the same program as the pinned one before it.
  for (const contestant of [base, ...others].filter(({ isUnpinned }) => !isUnpinned))
    await warmUp(stage, contestant, kind, moreBytes);
  let before = await measure(base, 1);
  for (let round = 1; round <= stage.rounds; round += 1) {
    for (const turn of takeTurns(others)) {
      const own: Figures[] = [];
      for (const contestant of turn) own.push(await measure(contestant, round));
      const after = await measure(base, round);
      for (const [index, { name }] of turn.entries())
        ratios.get(name)?.push(divide(own[index] as Figures, before, after));
      before = after;
    }
    // If there are no contestants, the baseline is still measured in each round.
    if (others.length === 0) before = await measure(base, round);
  }
  return [base, ...others].map(({ name }) => toRow(name, slices.get(name) ?? [], ratios.get(name) ?? []));
}

/** Lets a program run pinned and unpinned in one turn, without a slice of the baseline between the two. */
function takeTurns(others: readonly Contestant[]): Contestant[][] {
  const turns: Contestant[][] = [];
  for (const contestant of others) {
    const last = turns.at(-1);
    if (contestant.isUnpinned && last !== undefined) last.push(contestant);
    else turns.push([contestant]);
  }
  return turns;
}

function toFigures({ completed, elapsedMs, contestantCpuMs, threadCpuMs }: SliceResult): Figures {
  return {
    callsPerSecond: (completed / elapsedMs) * 1000,
    cpuMicros: (contestantCpuMs / completed) * 1000,
    threadMicros: Object.fromEntries(
      Object.entries(threadCpuMs).map(([group, cpuMs]) => [group, (cpuMs / completed) * 1000]),
    ),
    coreShare: contestantCpuMs / elapsedMs,
  };
}

function divide(own: Figures, before: Figures, after: Figures): Ratios {
  return {
    callsPerSecond: own.callsPerSecond / mean(before.callsPerSecond, after.callsPerSecond),
    cpuMicros: own.cpuMicros / mean(before.cpuMicros, after.cpuMicros),
    coreShare: own.coreShare,
  };
}

function toRow(name: string, slices: readonly Figures[], ratios: readonly Ratios[]): SliceRow {
  const ofBase: Ratios[] = [{ callsPerSecond: 1, cpuMicros: 1, coreShare: 1 }];
  const compared = ratios.length === 0 ? ofBase : ratios;
  return {
    name,
    callsPerSecond: spreadOf(slices.map((slice) => slice.callsPerSecond)),
    cpuMicros: spreadOf(slices.map((slice) => slice.cpuMicros)),
    threadMicros: mediansByName(slices.map((slice) => slice.threadMicros)),
    coreShare: spreadOf(slices.map((slice) => slice.coreShare)),
    ratio: spreadOf(compared.map((ratio) => ratio.callsPerSecond)),
    cpuRatio: spreadOf(compared.map((ratio) => ratio.cpuMicros)),
    ratios: compared.map((ratio) => ratio.callsPerSecond),
  };
}
