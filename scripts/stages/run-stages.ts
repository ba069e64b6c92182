import { describeFailure } from "./describe-failure.ts";
import { runStage } from "./run-stage.ts";
import type { EndedStage, Stage } from "./stage.ts";

/** Maximum number of concurrent patient stages. They mostly wait, so that two of them leave a core idle half of the time. */
const PATIENT_AT_ONCE = 3;

export interface RunOptions {
  readonly root: string;
  /** Called with the output of each stage. */
  readonly onOutput?: (stage: Stage, chunk: Buffer) => void;
  /** Called after each stage. */
  readonly onEnd?: (ended: EndedStage) => void;
}

/** Runs all stages, including those after a failed one, and prints a line for each. */
export async function runStages(
  stages: readonly Stage[],
  { root, onOutput, onEnd }: RunOptions,
): Promise<readonly EndedStage[]> {
  const all: EndedStage[] = [];
  for (const group of groupStages(stages)) {
    const waiting = [...group];
    const work = async () => {
      for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
        const current = stage;
        console.log(`\n=== ${current.name}`);
        const ended = await runStage(current, root, (chunk) => onOutput?.(current, chunk));
        console.log(`=== ${current.name}: ${ended.passed} passed, ${ended.failed} failed, ${ended.seconds} s`);
        all.push(ended);
        onEnd?.(ended);
      }
    };
    await Promise.all(group.slice(0, PATIENT_AT_ONCE).map(work));
  }
  return all;
}

/** Groups stages in order. Stages that can run concurrently share a group. */
function groupStages(stages: readonly Stage[]): readonly (readonly Stage[])[] {
  const groups: Stage[][] = [];
  for (const stage of stages) {
    const last = groups.at(-1);
    if (stage.isPatient === true && last?.[0]?.isPatient === true) last.push(stage);
    else groups.push([stage]);
  }
  return groups;
}

/** Returns the closing part of a run. Failures are repeated at the end, where they are seen first. */
export function describeRun(all: readonly EndedStage[]): string {
  const failures = all
    .filter(({ failed }) => failed > 0)
    .map(({ stage, tail }) => `--- ${stage.name} failed; it said last:\n${describeFailure(tail)}\n`);
  const skipped = listSkipped(all);
  const { passed, failed } = sumUp(all);
  return [
    ...failures,
    `${skipped.length} skipped${skipped.length === 0 ? "" : ":"}`,
    ...skipped.map((line) => `  ${line}`),
    "",
    `${passed} passed, ${failed} failed`,
  ].join("\n");
}

/** Returns a line for each skipped check. */
export function listSkipped(all: readonly EndedStage[]): readonly string[] {
  return all.flatMap(({ stage, skipped }) => skipped.map(({ name, reason }) => `${stage.name}: ${name} (${reason})`));
}

/** Adds up the checks of all stages. */
export function sumUp(all: readonly EndedStage[]): { readonly passed: number; readonly failed: number } {
  const sum = (read: (ended: EndedStage) => number) => all.reduce((total, ended) => total + read(ended), 0);
  return { passed: sum(({ passed }) => passed), failed: sum(({ failed }) => failed) };
}
