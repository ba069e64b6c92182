/** Time range as in the URL: `24h`, `14d`, `2026-11-01..2026-11-12`, or two timestamps in the same form. */
export interface Range {
  readonly label: string;
  readonly startDate: string;
  readonly endDate: string | undefined;
  readonly hours: number;
}

export const rangePresets = [
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["14d", "Last 14 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
] as const;

/** Parses a URL range for the API. Days start in the reporting time zone. */
export function readRange(text: string, zone: string, now = new Date()): Range {
  const days = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(text);
  if (days?.slice(1).every(isTime)) {
    const [first, last] = days.slice(1) as [string, string];
    return between(startOfDay(first, zone), startOfDay(addDays(last, 1), zone), now, `${first} to ${last}`);
  }
  const moments = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)\.\.(\d{4}-\d\d-\d\dT[\d:.]+Z)$/.exec(text);
  if (moments?.slice(1).every(isTime)) {
    const [from, until] = moments.slice(1).map((each) => new Date(each)) as [Date, Date];
    return between(from, until, now, `${momentText(from, zone)} to ${momentText(until, zone)}`);
  }
  const length = /^(\d{1,3})(h|d)$/.exec(text);
  const [count, unit] = length === null ? [14, "d"] : [Number(length[1]), length[2]];
  const label = rangePresets.find(([name]) => name === text)?.[1] ?? `Last ${count} ${unit === "h" ? "hours" : "days"}`;
  if (unit === "h") {
    return {
      label,
      startDate: new Date(now.getTime() - count * 3_600_000).toISOString(),
      endDate: undefined,
      hours: count,
    };
  }
  const first = addDays(dayOf(now, zone), 1 - count);
  return { label, startDate: startOfDay(first, zone).toISOString(), endDate: undefined, hours: count * 24 };
}

/** Returns the range. A range that ends in the future has no end date. */
function between(from: Date, until: Date, now: Date, label: string): Range {
  const hours = (until.getTime() - from.getTime()) / 3_600_000;
  return { label, startDate: from.toISOString(), endDate: until > now ? undefined : until.toISOString(), hours };
}

/** Reports whether the text is a valid time. Users edit URLs by hand, so a URL may contain a nonexistent day. */
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

function momentText(at: Date, zone: string): string {
  const day = { day: "numeric", month: "short" } as const;
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return at.toLocaleString("en-GB", { ...day, ...clock, timeZone: zone });
}

/** Returns the local date of an instant as `YYYY-MM-DD`. */
export function dayOf(at: Date, zone: string): string {
  return at.toLocaleDateString("en-CA", { timeZone: zone });
}

export function addDays(day: string, count: number): string {
  const at = new Date(`${day}T12:00:00Z`);
  at.setUTCDate(at.getUTCDate() + count);
  return at.toISOString().slice(0, 10);
}

/**
 * Returns the start of a local day. Corrects a guess by its offset twice, so that the result is also correct near a DST
 * change.
 */
export function startOfDay(day: string, zone: string): Date {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  let guess = wanted;
  for (let round = 0; round < 2; round += 1) guess = wanted - offsetAt(guess, zone);
  return new Date(guess);
}

function offsetAt(atMs: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(atMs);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
  return shown - Math.floor(atMs / 1_000) * 1_000;
}
