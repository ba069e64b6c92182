import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StartContestant } from "../contestants/contestant.ts";
import { type CallKind, targetOf } from "../load/target-of.ts";
import { bringOn, connections, type Stage } from "../sections/stage.ts";
import { warmUp } from "../sections/warm-up.ts";
import { type CpuProfile, type FunctionTime, summarizeProfile } from "./summarize-profile.ts";

const sliceMs = 3000;
const shown = 25;

/** Profiles one saturated slice of a contestant and returns its functions by self time. Saves the complete profile. */
export async function profileContestant(
  stage: Stage,
  kind: CallKind,
  start: (nodeOptions: string) => StartContestant,
  keptFile: string,
): Promise<string> {
  const folder = mkdtempSync(join(stage.directory, "profile-"));
  const contestant = await bringOn(stage, start(`--cpu-prof --cpu-prof-dir=${folder}`));
  await warmUp(stage, contestant, kind);
  stage.showProgress(`${kind}: profiling ${contestant.name}`);
  const fromMicros = monotonicMicros();
  await stage.generator.runClosedLoop({
    target: targetOf(contestant, kind),
    connections,
    end: { afterMs: sliceMs },
    pids: contestant.pids(),
  });
  const toMicros = monotonicMicros();
  await contestant.stop();

  copyFileSync(findLargestFile(folder), keptFile);
  const profile: CpuProfile = JSON.parse(readFileSync(keptFile, "utf8"));
  return printFunctions(kind, keptFile, summarizeProfile(profile, fromMicros, toMicros));
}

function printFunctions(kind: CallKind, file: string, functions: readonly FunctionTime[]): string {
  const lines = functions
    .slice(0, shown)
    .map(
      ({ place, selfMs, share }) =>
        `${(share * 100).toFixed(1).padStart(6)} %  ${selfMs.toFixed(0).padStart(6)} ms  ${place}`,
    );
  return [`Self time under ${kind} load (${file})`, ...lines].join("\n");
}

/** Every process writes a profile. The process that served the load has by far the largest one. */
function findLargestFile(folder: string): string {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const largest = files.toSorted((a, b) => statSync(b).size - statSync(a).size)[0];
  if (largest === undefined) throw new Error("no profile was written: the profiled program did not exit on its own");
  return largest;
}

function monotonicMicros(): number {
  return Number(process.hrtime.bigint()) / 1000;
}
