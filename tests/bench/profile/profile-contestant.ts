import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StartContestant } from "../contestants/contestant.ts";
import type { SliceResult } from "../load/commands.ts";
import { type CallKind, targetOf } from "../load/target-of.ts";
import { readProcessName } from "../measure/process-usage.ts";
import { bringOn, connections, type Stage } from "../sections/stage.ts";
import { warmUp } from "../sections/warm-up.ts";
import { groupOfProfile, parseProfileName } from "./profiled-thread.ts";
import { type CpuProfile, type SelfTime, summarizeProfile } from "./summarize-profile.ts";

const sliceMs = 5000;
const shown = { functions: 20, packages: 15 };
/** Threads that used less CPU time than this are left out. */
const minCpuMs = 5;

/** Profiles a saturated slice of every thread of a contestant. Returns self times and saves the complete profiles. */
export async function profileContestant(
  stage: Stage,
  kind: CallKind,
  start: (nodeOptions: string) => StartContestant,
  savedPrefix: string,
): Promise<string> {
  const folder = mkdtempSync(join(stage.directory, "profile-"));
  const contestant = await bringOn(stage, start(`--cpu-prof --cpu-prof-dir=${folder}`));
  await warmUp(stage, contestant, kind);
  stage.showProgress(`${kind}: profiling ${contestant.name}`);
  const pids = contestant.pids();
  const processes = new Map(pids.map((pid) => [pid, readProcessName(pid, pids)]));
  const fromMicros = monotonicMicros();
  const target = targetOf(contestant, kind);
  const result = await stage.generator.runClosedLoop({ target, connections, end: { afterMs: sliceMs }, pids });
  const toMicros = monotonicMicros();
  // Each thread writes its profile when it ends.
  await contestant.stop();

  const texts: { cpuMs: number; text: string }[] = [];
  for (const name of readdirSync(folder)) {
    const { pid, threadId } = parseProfileName(name);
    const profile: CpuProfile = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const group = groupOfProfile(processes.get(pid) ?? "unknown", threadId, profile);
    const cpuMs = result.threadCpuMs[group] ?? 0;
    const { functions, packages } = summarizeProfile(profile, fromMicros, toMicros);
    // The supervisor's only thread sleeps, and would count as busy.
    if (cpuMs < minCpuMs || functions.length === 0 || (threadId > 0 && group === "supervisor")) continue;
    const savedFile = `${savedPrefix}-${group}.cpuprofile`;
    copyFileSync(join(folder, name), savedFile);
    const head = `${group} under ${kind} load: ${describeUsage(cpuMs, result)} (${savedFile})`;
    const text = [head, ...toLines(packages, shown.packages), "", ...toLines(functions, shown.functions)].join("\n");
    texts.push({ cpuMs, text });
  }
  if (texts.length === 0) throw new Error("no profile was written: the profiled program did not exit on its own");
  texts.sort((a, b) => b.cpuMs - a.cpuMs);
  return texts.map(({ text }) => text).join("\n\n");
}

function describeUsage(cpuMs: number, { completed, elapsedMs }: SliceResult): string {
  const perCall = ((cpuMs * 1000) / completed).toFixed(1);
  return `${cpuMs.toFixed(0)} ms of CPU time in ${elapsedMs.toFixed(0)} ms, ${perCall} µs per call`;
}

function toLines(times: readonly SelfTime[], count: number): string[] {
  return times
    .slice(0, count)
    .map(
      ({ name, selfMs, share }) =>
        `${(share * 100).toFixed(1).padStart(6)} %  ${selfMs.toFixed(0).padStart(6)} ms  ${name}`,
    );
}

function monotonicMicros(): number {
  return Number(process.hrtime.bigint()) / 1000;
}
