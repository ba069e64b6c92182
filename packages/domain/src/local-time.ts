/** The start of a local day or hour as Unix milliseconds, and its label. */
export interface LocalMark {
  readonly atMs: number;
  readonly label: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Lists the local days that overlap a time range, labeled `YYYY-MM-DD`. The first day starts at or before the range.
 */
export function listLocalDays(zone: string, fromMs: number, toMs: number): LocalMark[] {
  const marks: LocalMark[] = [];
  for (const { fromMs: beginsMs, toMs: endsMs, offsetMs } of listOffsets(zone, fromMs, toMs)) {
    for (let atMs = beginsMs; atMs < endsMs; atMs = ceil(atMs + 1 + offsetMs, DAY_MS) - offsetMs) {
      const label = new Date(atMs + offsetMs).toISOString().slice(0, 10);
      // If clocks are set back across midnight, the day must not start twice.
      if (label > (marks.at(-1)?.label ?? "")) marks.push({ atMs, label });
    }
  }
  return marks;
}

/** Lists the local hours that overlap a time range, labeled by their start. */
export function listLocalHours(zone: string, fromMs: number, toMs: number): LocalMark[] {
  const marks: LocalMark[] = [];
  for (const { fromMs: beginsMs, toMs: endsMs, offsetMs } of listOffsets(zone, fromMs, toMs)) {
    for (let atMs = beginsMs; atMs < endsMs; atMs = ceil(atMs + 1 + offsetMs, HOUR_MS) - offsetMs) {
      // Only the first hour can start before the range. An hour with a clock change starts at the change.
      const startMs = marks.length === 0 ? floor(atMs + offsetMs, HOUR_MS) - offsetMs : atMs;
      marks.push({ atMs, label: new Date(startMs).toISOString() });
    }
  }
  return marks;
}

/** Returns the start of a local day or, if the zone skipped that day, of the next day. */
export function startOfLocalDay(zone: string, day: string): number {
  const inUtcMs = Date.parse(`${day}T00:00:00Z`);
  const days = listLocalDays(zone, inUtcMs - 2 * DAY_MS, inUtcMs + 2 * DAY_MS);
  return (days.find(({ label }) => label >= day) as LocalMark).atMs;
}

/** Reports whether the time zone is known. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

interface Offset {
  readonly fromMs: number;
  readonly toMs: number;
  /** Offset by which local clocks are ahead of UTC. */
  readonly offsetMs: number;
}

/** Lists the UTC offsets of a zone during a time range. Assumes at most one change per day. */
function listOffsets(zone: string, fromMs: number, toMs: number): Offset[] {
  const offsetAt = createOffsetReader(zone);
  const offsets: { fromMs: number; toMs: number; offsetMs: number }[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const offsetMs = offsetAt(atMs);
    const nextMs = Math.min(toMs, atMs + DAY_MS);
    const endMs = offsetAt(nextMs) === offsetMs ? nextMs : findChange(offsetAt, atMs, nextMs);
    const last = offsets.at(-1);
    if (last?.offsetMs === offsetMs) last.toMs = endMs;
    else offsets.push({ fromMs: atMs, toMs: endMs, offsetMs });
    atMs = endMs;
  }
  return offsets;
}

/** Finds the first whole minute after the offset changes. */
function findChange(offsetAt: (atMs: number) => number, fromMs: number, toMs: number): number {
  const before = offsetAt(fromMs);
  let [low, high] = [Math.floor(fromMs / MINUTE_MS), Math.ceil(toMs / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return Math.min(toMs, high * MINUTE_MS);
}

function createOffsetReader(zone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  return (atMs) => {
    const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0", seconds = "0"] =
      /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(name) ?? [];
    const sizeMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
    return sign === "-" ? -sizeMs : sizeMs;
  };
}

const floor = (value: number, step: number): number => Math.floor(value / step) * step;
const ceil = (value: number, step: number): number => Math.ceil(value / step) * step;
