import { quantile } from "../measure/statistics.ts";
import { runBench } from "../run-bench.ts";
import type { ArrivalsResult, Crowd } from "./arrivals.ts";
import { recoveryMs, type Slice, sumUp } from "./judge.ts";
import { type GoodputOptions, readOptions, usage } from "./options.ts";
import { type GoodputStage, startGoodputStage } from "./stage.ts";

// Measures the goodput of a gateway under overload, limited by concurrency (the upstream is the bottleneck) and limited
// by CPU (the gateway is the bottleneck). All figures are ratios within one run.

const LIMIT = 100;
const DELAY_MS = 500;
/** Maximum rate that the concurrency limit allows. */
const SATURATION = LIMIT / (DELAY_MS / 1_000);
const ORGANIZATIONS = 10;
const CONNECTIONS = 1_000;
const FACTORS = [1, 2, 5, 10] as const;
const LEAST_PART: Readonly<Record<number, number>> = { 2: 0.97, 5: 0.95, 10: 0.9 };
const MAX_SLOWER = 3;
const MAX_REFUSAL_MS = 5;
const MAX_RECOVERY_MS = 5_000;
const LEAST_BESIDE_FLOOD = 0.95;
/** Share of the maximum rate that should be served completely, with capacity to spare. */
const BEARABLE = 0.8;
const FIRST_SEED = 10_000;

interface Round {
  readonly byRoom: readonly Slice[];
  readonly byCpu: readonly Slice[];
  readonly cpuSaturation: number;
  readonly recoveredMs: number;
  readonly alone: Slice;
  readonly besideFlood: Slice;
}

async function bench({ rounds, sliceMs, printsJson }: GoodputOptions): Promise<boolean> {
  const stage = await startGoodputStage(LIMIT, ORGANIZATIONS);
  await warmUp(stage);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const one = await measureRound(stage, sliceMs, FIRST_SEED + round);
    measured.push(one);
    console.log(describeRound(one, round));
  }
  const figures = figuresOf(measured);
  const problems = findProblems(figures);
  console.log(JSON.stringify(figures, null, 2));
  for (const problem of problems) console.log(`✗ ${problem}`);
  if (printsJson) console.log(JSON.stringify({ rounds, ...figures, problems, ok: problems.length === 0 }));
  return problems.length === 0;
}

async function warmUp(stage: GoodputStage): Promise<void> {
  await stage.delay(0);
  await stage.saturate(64, 3_000);
  await stage.offer(everybody(stage, 1_000), 2_000);
}

async function measureRound(stage: GoodputStage, sliceMs: number, seed: number): Promise<Round> {
  await stage.delay(DELAY_MS);
  const byRoom: Slice[] = [];
  for (const factor of FACTORS) byRoom.push(await measure(stage, everybody(stage, SATURATION * factor), sliceMs));
  const after = await stage.offer(everybody(stage, SATURATION * BEARABLE), sliceMs);
  const [flooding, ...others] = everybody(stage, SATURATION) as [Crowd, ...Crowd[]];
  const quiet = others.map((crowd) => ({ ...crowd, perSecond: (SATURATION * BEARABLE) / others.length }));
  const flood = { ...flooding, perSecond: SATURATION * 10, connections: CONNECTIONS };
  const alone = sumUp(await stage.offer(quiet, sliceMs, seed), sliceMs);
  const flooded = await stage.offer([...quiet, flood], sliceMs, seed);
  await stage.delay(0);
  const { completed, elapsedMs } = await stage.saturate(64, sliceMs / 2);
  const cpuSaturation = (completed * 1_000) / elapsedMs;
  const byCpu: Slice[] = [];
  for (const factor of FACTORS) {
    byCpu.push(await measure(stage, crowdsOf(stage.playedTargets, cpuSaturation * factor), sliceMs));
  }
  return {
    byRoom,
    byCpu,
    cpuSaturation,
    recoveredMs: recoveryMs(after, DELAY_MS * 2),
    alone,
    besideFlood: sumUp(flooded, sliceMs, flooded.crowds.slice(0, quiet.length)),
  };
}

async function measure(stage: GoodputStage, crowds: readonly Crowd[], sliceMs: number): Promise<Slice> {
  const result: ArrivalsResult = await stage.offer(crowds, sliceMs);
  return sumUp(result, sliceMs);
}

function everybody({ targets }: GoodputStage, perSecond: number): Crowd[] {
  return crowdsOf(targets, perSecond);
}

function crowdsOf(targets: GoodputStage["targets"], perSecond: number): Crowd[] {
  const connections = CONNECTIONS / targets.length;
  return targets.map((target) => ({ target, perSecond: perSecond / targets.length, connections }));
}

type Figures = ReturnType<typeof figuresOf>;

/** Computes medians over the rounds. Each ratio is taken within its round. */
function figuresOf(rounds: readonly Round[]) {
  const over = (read: (round: Round) => number) => Number(median(rounds.map(read)).toFixed(3));
  const perFactor = (read: (slices: readonly Slice[], at: number) => number, of: "byRoom" | "byCpu") =>
    Object.fromEntries(FACTORS.map((factor, at) => [`${factor}x`, over((round) => read(round[of], at))]));
  const at = (slices: readonly Slice[], index: number) => slices[index] as Slice;
  const good = (slices: readonly Slice[], index: number) =>
    at(slices, index).goodPerSecond / at(slices, 0).goodPerSecond;
  const slower = (slices: readonly Slice[], index: number) => at(slices, index).p99Ms / at(slices, 0).p99Ms;
  const last = FACTORS.length - 1;
  return {
    saturation: { byRoom: SATURATION, byCpu: over(({ cpuSaturation }) => cpuSaturation) },
    byRoom: {
      served: over(({ byRoom }) => at(byRoom, 0).goodPerSecond / SATURATION),
      goodput: perFactor(good, "byRoom"),
      p99Ms: perFactor((slices, index) => at(slices, index).p99Ms, "byRoom"),
      p99Ratio: perFactor(slower, "byRoom"),
      refusedPerSecond: perFactor((slices, index) => at(slices, index).refusedPerSecond, "byRoom"),
      refusalP50Ms: perFactor((slices, index) => at(slices, index).refusalP50Ms, "byRoom"),
      refusalP99Ms: perFactor((slices, index) => at(slices, index).refusalP99Ms, "byRoom"),
      // Other processes on the machine affect the p99, least of all in the quietest round.
      quietestRefusalP99Ms: Object.fromEntries(
        FACTORS.map((factor, index) => [
          `${factor}x`,
          Number(Math.min(...rounds.map(({ byRoom }) => at(byRoom, index).refusalP99Ms)).toFixed(3)),
        ]),
      ),
      unsentPerSecond: perFactor((slices, index) => at(slices, index).unsentPerSecond, "byRoom"),
    },
    cpuMicrosPerRefusal: over(({ byRoom }) => cpuOfRefusal(at(byRoom, 0), at(byRoom, last))),
    recoveredMs: over(({ recoveredMs }) => recoveredMs),
    besideFlood: over(({ alone, besideFlood }) => besideFlood.goodPerSecond / alone.goodPerSecond),
    byCpu: {
      goodput: perFactor(good, "byCpu"),
      ofSaturation: perFactor((slices, index) => at(slices, index).goodPerSecond, "byCpu"),
      p99Ms: perFactor((slices, index) => at(slices, index).p99Ms, "byCpu"),
      p99Ratio: perFactor(slower, "byCpu"),
      refusedPerSecond: perFactor((slices, index) => at(slices, index).refusedPerSecond, "byCpu"),
      unsentPerSecond: perFactor((slices, index) => at(slices, index).unsentPerSecond, "byCpu"),
      coreUsed: perFactor((slices, index) => at(slices, index).coreUsed, "byCpu"),
    },
    failed: rounds.reduce((sum, round) => sum + failedOf(round), 0),
    problem:
      rounds.flatMap(({ byRoom, byCpu }) => [...byRoom, ...byCpu]).find(({ problem }) => problem)?.problem ?? null,
  };
}

/**
 * Returns the CPU time per refusal in microseconds. The CPU time of the successful calls, as measured without refusals,
 * is subtracted.
 */
function cpuOfRefusal(without: Slice, withRefusals: Slice): number {
  const more = withRefusals.cpuMs - without.cpuMs * (withRefusals.allGood / without.allGood);
  return (more * 1_000) / (withRefusals.allRefused - without.allRefused);
}

function failedOf({ byRoom, byCpu, alone, besideFlood }: Round): number {
  return [...byRoom, ...byCpu, alone, besideFlood].reduce((sum, { failed }) => sum + failed, 0);
}

function findProblems({ byRoom, byCpu, besideFlood, recoveredMs, failed }: Figures): string[] {
  const problems: string[] = [];
  for (const [name, { goodput, p99Ratio }] of Object.entries({ byRoom, byCpu })) {
    for (const [factor, least] of Object.entries(LEAST_PART)) {
      const part = goodput[`${factor}x`] ?? 0;
      if (part < least) problems.push(`${name}: ${part} of the good calls at ${factor}×, wanted ${least}`);
    }
    if ((p99Ratio["10x"] ?? 0) > MAX_SLOWER)
      problems.push(`${name}: p99 at 10× is ${p99Ratio["10x"]} times that at 1×`);
  }
  const refusalMs = byRoom.quietestRefusalP99Ms["10x"] ?? 0;
  if (refusalMs > MAX_REFUSAL_MS) problems.push(`refusals take ${refusalMs} ms at p99, wanted ${MAX_REFUSAL_MS}`);
  if (recoveredMs > MAX_RECOVERY_MS) problems.push(`back to normal after ${recoveredMs} ms`);
  if (besideFlood < LEAST_BESIDE_FLOOD) problems.push(`others keep ${besideFlood} of their calls beside a flood`);
  if (failed > 0) problems.push(`${failed} calls failed otherwise`);
  return problems;
}

function describeRound(
  { byRoom, byCpu, alone, besideFlood, recoveredMs, cpuSaturation }: Round,
  round: number,
): string {
  const line = (slices: readonly Slice[]) =>
    slices
      .map(
        ({ goodPerSecond, p99Ms, refusedPerSecond, refusalP99Ms, coreUsed }, index) =>
          `${FACTORS[index]}×: ${goodPerSecond.toFixed(0)} good/s p99 ${p99Ms.toFixed(0)} ms, ` +
          `${refusedPerSecond.toFixed(0)} refused/s p99 ${refusalP99Ms.toFixed(1)} ms, core ${coreUsed.toFixed(2)}`,
      )
      .join("; ");
  return [
    `round ${round + 1}`,
    `  by room  ${line(byRoom)}; recovered after ${recoveredMs.toFixed(0)} ms`,
    `  by CPU (${cpuSaturation.toFixed(0)}/s)  ${line(byCpu)}`,
    `  beside a flood ${besideFlood.goodPerSecond.toFixed(0)} good/s, alone ${alone.goodPerSecond.toFixed(0)}`,
  ].join("\n");
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

process.exitCode = await runBench({ usage, readOptions, bench });
