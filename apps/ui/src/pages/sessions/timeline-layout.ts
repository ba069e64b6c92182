interface TimedCall {
  readonly createdAt: string;
  readonly latencyMs: number;
}

interface Bar<Call> {
  readonly call: Call;
  /** Time from the start of the timeline to the start of the request. */
  readonly offsetMs: number;
  /** Start and length as shares of the timeline, from 0 to 1. */
  readonly left: number;
  readonly width: number;
}

interface Timeline<Call> {
  readonly totalMs: number;
  /** One bar per request, the earliest first. */
  readonly bars: readonly Bar<Call>[];
}

/** Places requests on a timeline from the start of the first one to the end of the last one. */
export function layOutTimeline<Call extends TimedCall>(calls: readonly Call[]): Timeline<Call> {
  const timed = calls
    .map((call) => ({ call, atMs: new Date(call.createdAt).getTime() }))
    .sort((one, other) => one.atMs - other.atMs);
  const startMs = timed[0]?.atMs ?? 0;
  const endMs = timed.reduce((latest, { call, atMs }) => Math.max(latest, atMs + call.latencyMs), startMs);
  // Without any duration, every request is at the start.
  const totalMs = Math.max(1, endMs - startMs);
  const bars = timed.map(({ call, atMs }) => ({
    call,
    offsetMs: atMs - startMs,
    left: (atMs - startMs) / totalMs,
    width: call.latencyMs / totalMs,
  }));
  return { totalMs, bars };
}
