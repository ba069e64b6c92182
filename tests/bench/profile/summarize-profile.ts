import { packageOf } from "./package-of.ts";

/** The part of a V8 CPU profile that is used here. Times are in microseconds on the monotonic clock. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
  /** A function with its place, or a package. */
  readonly name: string;
  readonly selfMs: number;
  /** Share of the time in which the thread was not waiting. */
  readonly share: number;
}

export interface ProfileSummary {
  /** Longest first. */
  readonly functions: readonly SelfTime[];
  readonly packages: readonly SelfTime[];
}

/**
 * Functions in which a thread waits. V8 knows when an event loop waits. It counts a wait for another thread as the time
 * of the function that waits, which is `#sleep` in the journal.
 */
const waiting: readonly string[] = ["(idle)", "#sleep"];

/** Returns the self time of each function and package within a time window, without the time in which it waited. */
export function summarizeProfile(profile: CpuProfile, fromMicros: number, toMicros: number): ProfileSummary {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let at = profile.startTime;
  let total = 0;
  profile.samples.forEach((node, index) => {
    at += profile.timeDeltas[index] ?? 0;
    const frame = frames.get(node) ?? { functionName: "(unknown)", url: "", lineNumber: 0 };
    if (at < fromMicros || at > toMicros || waiting.includes(frame.functionName)) return;
    // A sample covers the time until the next sample.
    const lasted = profile.timeDeltas[index + 1] ?? 0;
    add(functions, describePlace(frame), lasted);
    add(packages, packageOf(frame.functionName, frame.url), lasted);
    total += lasted;
  });
  return { functions: toSelfTimes(functions, total), packages: toSelfTimes(packages, total) };
}

function add(times: Map<string, number>, name: string, micros: number): void {
  times.set(name, (times.get(name) ?? 0) + micros);
}

function toSelfTimes(times: ReadonlyMap<string, number>, total: number): SelfTime[] {
  return [...times]
    .map(([name, micros]) => ({ name, selfMs: micros / 1000, share: micros / total }))
    .sort((a, b) => b.selfMs - a.selfMs);
}

function describePlace({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url === "") return name;
  const file = url.split("/").slice(-3).join("/");
  return `${name}  ${file}:${lineNumber + 1}`;
}
