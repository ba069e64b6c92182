import { setTimeout as pause } from "node:timers/promises";
import type { StartContestant } from "../contestants/contestant.ts";
import { targetOf } from "../load/target-of.ts";
import type { ProcessMemory } from "../measure/proc-text.ts";
import { readMemory, readProcessName, readThreads, type ThreadCounters } from "../measure/process-usage.ts";
import { bringOn, type Stage } from "./stage.ts";

/** Load before the pause: enough that all code of the calls is loaded, and too little for a large heap. */
const lightLoad = { perSecond: 20, durationMs: 5000 };
const restMs = 30_000;
const measuredMs = 30_000;

/** What a part of a program uses while it serves no calls. */
export interface IdleUsage {
  /** Share of one core. */
  readonly cpuPercent: number;
  readonly wakeUpsPerSecond: number;
}

export interface IdleProcess extends IdleUsage {
  readonly name: string;
  readonly residentBytes: number;
  readonly proportionalBytes: number;
  readonly threads: readonly (IdleUsage & { readonly role: string })[];
}

/** A program that has served its last call. */
export interface ResidentProgram {
  /** Measures the program from 30 seconds after its last call on, and stops it. */
  measure(): Promise<readonly IdleProcess[]>;
}

/** Starts a program and makes a few calls and streams, the last calls before it is idle. */
export async function startIdle(stage: Stage, start: StartContestant): Promise<ResidentProgram> {
  const contestant = await bringOn(stage, start);
  for (const kind of ["json", "sse"] as const) {
    stage.showProgress(`idle: ${contestant.name}, ${kind} calls first`);
    await stage.generator.runOpenLoop({ target: targetOf(contestant, kind), ...lightLoad, pids: [] });
  }
  const lastCallAtMs = performance.now();
  return {
    async measure() {
      stage.showProgress(`idle: ${contestant.name}, waiting until 30 s after its last call`);
      await pause(Math.max(0, lastCallAtMs + restMs - performance.now()));
      stage.showProgress(`idle: ${contestant.name}, measuring for 30 s`);
      const pids = contestant.pids();
      const startedAtMs = performance.now();
      const before = readThreads(pids);
      await pause(measuredMs);
      const after = readThreads(pids);
      const elapsedMs = performance.now() - startedAtMs;
      const processes = pids.map((pid) => ({ pid, name: readProcessName(pid, pids), ...readMemory(pid) }));
      await contestant.stop();
      return processes.map((process) => toIdleProcess(process, before, after, elapsedMs));
    },
  };
}

/** Returns what a process and its threads used between two readings. Threads of one role are added up. */
export function toIdleProcess(
  { pid, ...process }: ProcessMemory & { readonly pid: number; readonly name: string },
  before: ReadonlyMap<string, ThreadCounters>,
  after: ReadonlyMap<string, ThreadCounters>,
  elapsedMs: number,
): IdleProcess {
  const used = [...after]
    .filter(([, thread]) => thread.pid === pid)
    .map(([number, { role, cpuMs, wakeUps }]) => ({
      role,
      cpuMs: cpuMs - (before.get(number)?.cpuMs ?? 0),
      wakeUps: wakeUps - (before.get(number)?.wakeUps ?? 0),
    }));
  const sum = (threads: typeof used): IdleUsage => ({
    cpuPercent: (threads.reduce((total, { cpuMs }) => total + cpuMs, 0) / elapsedMs) * 100,
    wakeUpsPerSecond: threads.reduce((total, { wakeUps }) => total + wakeUps, 0) / (elapsedMs / 1000),
  });
  const roles = [...new Set(used.map(({ role }) => role))];
  const threads = roles.map((role) => ({ role, ...sum(used.filter((thread) => thread.role === role)) }));
  return { ...process, ...sum(used), threads };
}
