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

export interface FunctionTime {
  readonly place: string;
  readonly selfMs: number;
  /** Share of the non-idle time. */
  readonly share: number;
}

const notRunning = "(idle)";

/** Returns the self time of each function within a time window, longest first. */
export function summarizeProfile(profile: CpuProfile, fromMicros: number, toMicros: number): FunctionTime[] {
  const places = new Map(profile.nodes.map((node) => [node.id, describePlace(node.callFrame)]));
  const micros = new Map<string, number>();
  let at = profile.startTime;
  let total = 0;
  profile.samples.forEach((node, index) => {
    at += profile.timeDeltas[index] ?? 0;
    const place = places.get(node) ?? "(unknown)";
    if (at < fromMicros || at > toMicros || place === notRunning) return;
    // A sample covers the time until the next sample.
    const lasted = profile.timeDeltas[index + 1] ?? 0;
    micros.set(place, (micros.get(place) ?? 0) + lasted);
    total += lasted;
  });
  return [...micros]
    .map(([place, time]) => ({ place, selfMs: time / 1000, share: time / total }))
    .sort((a, b) => b.selfMs - a.selfMs);
}

function describePlace({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url === "") return name;
  const file = url.split("/").slice(-3).join("/");
  return `${name}  ${file}:${lineNumber + 1}`;
}
