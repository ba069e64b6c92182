import { startTollgate, startTollgateFrom } from "../contestants/tollgate.ts";
import type { CallKind } from "../load/target-of.ts";
import type { ThreadTimes } from "../measure/process-usage.ts";
import { mediansByName } from "../measure/statistics.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import { bringOn, type Stage } from "./stage.ts";

/** The costs of this checkout relative to another one. */
export interface AgainstFigures {
  readonly cpuRatio: number;
  /** The smallest and the largest ratio of a start. */
  readonly cpuRatioRange: readonly [number, number];
  readonly ratio: number;
  /** The CPU ratio of each start. */
  readonly cpuRatios: readonly number[];
  /** CPU time per call of each group of threads in microseconds, as the median of all starts. */
  readonly threads: { readonly own: ThreadTimes; readonly other: ThreadTimes };
}

/**
 * Measures this checkout's cost per call relative to another checkout's. The checkouts alternate slice by slice, so that
 * a busy machine affects both equally. Each start of a program costs up to 10% more or less than the next, and the
 * program that starts first differs from the second, so both are started several times and take turns in starting
 * first.
 */
export async function measureAgainst(stage: Stage, kind: CallKind, root: string): Promise<AgainstFigures> {
  const cpuRatios: number[] = [];
  const ratios: number[] = [];
  const own: ThreadTimes[] = [];
  const other: ThreadTimes[] = [];
  const starts = stage.isQuick ? 2 : 6;
  for (let start = 1; start <= starts; start += 1) {
    stage.showProgress(`${kind}: start ${start} of ${starts}`);
    const isFirst = start % 2 === 0;
    const [first, second] = await compareOnce(stage, kind, root, isFirst);
    cpuRatios.push(isFirst ? 1 / second.cpuRatio.median : second.cpuRatio.median);
    ratios.push(isFirst ? 1 / second.ratio.median : second.ratio.median);
    own.push((isFirst ? first : second).threadMicros);
    other.push((isFirst ? second : first).threadMicros);
  }
  return {
    cpuRatio: rounded(geometricMean(cpuRatios)),
    cpuRatioRange: [rounded(Math.min(...cpuRatios)), rounded(Math.max(...cpuRatios))],
    ratio: rounded(geometricMean(ratios)),
    cpuRatios: cpuRatios.map(rounded),
    threads: { own: roundedTimes(own), other: roundedTimes(other) },
  };
}

/**
 * Starts both checkouts once, and returns the figures of the one that starts first, and of the other one relative to
 * it.
 */
async function compareOnce(
  stage: Stage,
  kind: CallKind,
  root: string,
  isFirst: boolean,
): Promise<[SliceRow, SliceRow]> {
  const other = startTollgateFrom(root);
  const base = await bringOn(stage, isFirst ? startTollgate : other);
  try {
    const compared = await bringOn(stage, isFirst ? other : startTollgate);
    try {
      return (await runSlices(stage, kind, base, [compared])) as [SliceRow, SliceRow];
    } finally {
      await compared.stop();
    }
  } finally {
    await base.stop();
  }
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function roundedTimes(starts: readonly ThreadTimes[]): ThreadTimes {
  return Object.fromEntries(Object.entries(mediansByName(starts)).map(([group, micros]) => [group, rounded(micros)]));
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
