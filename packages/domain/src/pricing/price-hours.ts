/** A daily time range in the provider's calendar. */
export interface PriceHours {
  /** Such as `peak hours`, for display. */
  readonly name: string;
  /** IANA name, such as `Asia/Shanghai`. */
  readonly timeZone: string;
  /** Days of the week on which the range begins, from 1 (Monday) to 7; empty for every day. */
  readonly days: readonly number[];
  /** Start in minutes after midnight. */
  readonly fromMinute: number;
  /** End in minutes after midnight, exclusive. If it isn't after the start, the range ends on the next day. */
  readonly toMinute: number;
}

const MINUTES_PER_DAY = 1_440;
const DAYS_PER_WEEK = 7;
const MINUTES_PER_WEEK = DAYS_PER_WEEK * MINUTES_PER_DAY;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

const MS_PER_MINUTE = 60_000;
/** The last result by list of hours. Each call asks for it several times, and hours begin and end with a minute. */
const lastFound = new WeakMap<readonly PriceHours[], { minute: number; found: readonly PriceHours[] }>();

/** Returns all of these hours that contain the time. */
export function hoursAt(hours: readonly PriceHours[], atMs: number): readonly PriceHours[] {
  const minute = Math.floor(atMs / MS_PER_MINUTE);
  const last = lastFound.get(hours);
  if (last?.minute === minute) return last.found;
  const found = hours.filter((one) => contains(one, atMs));
  lastFound.set(hours, { minute, found });
  return found;
}

/** Reports whether two hours contain the same times, whatever their names are. */
export function isSameRange(one: PriceHours, other: PriceHours): boolean {
  return (
    one.timeZone === other.timeZone &&
    one.fromMinute === other.fromMinute &&
    one.toMinute === other.toMinute &&
    one.days.join() === other.days.join()
  );
}

/** Maximum number of combinations of the hours of one list of rules. A price is computed for each. */
export const MAX_HOUR_COMBINATIONS = 32;

/**
 * Returns the combinations of these hours that can contain the same time, beginning with none. Hours in different time
 * zones may overlap, because time zones change their clocks on different days. Stops when there are more combinations
 * than the limit.
 */
export function combineHours(hours: readonly PriceHours[], limit = Number.POSITIVE_INFINITY): readonly PriceHours[][] {
  const found: PriceHours[][] = [[]];
  const distinct = hours.filter((one, index) => hours.findIndex((other) => isSameRange(one, other)) === index);
  for (const one of distinct) {
    // The list grows while it is read, so only the combinations without this range are extended.
    for (const others of found.slice()) {
      if (found.length > limit) return found;
      if (others.every((other) => canOverlap(one, other))) found.push([...others, one]);
    }
  }
  return found;
}

function canOverlap(one: PriceHours, other: PriceHours): boolean {
  if (one.timeZone !== other.timeZone) return true;
  const others = rangesOf(other);
  return rangesOf(one).some(([from, to]) => others.some(([start, end]) => from < end && start < to));
}

/** Returns the ranges of a week, in minutes. A range that ends in the next week is two ranges. */
function rangesOf({ days, fromMinute, toMinute }: PriceHours): readonly (readonly [from: number, to: number])[] {
  const length = toMinute > fromMinute ? toMinute - fromMinute : toMinute - fromMinute + MINUTES_PER_DAY;
  const starts = (days.length === 0 ? EVERY_DAY : days).map((day) => (day - 1) * MINUTES_PER_DAY + fromMinute);
  return starts.flatMap((from): (readonly [number, number])[] => {
    const to = from + length;
    return to <= MINUTES_PER_WEEK
      ? [[from, to]]
      : [
          [from, MINUTES_PER_WEEK],
          [0, to - MINUTES_PER_WEEK],
        ];
  });
}

function contains({ timeZone, days, fromMinute, toMinute }: PriceHours, atMs: number): boolean {
  const { day, minute } = localTime(timeZone, atMs);
  const isOn = (one: number) => days.length === 0 || days.includes(one);
  if (fromMinute < toMinute) return isOn(day) && minute >= fromMinute && minute < toMinute;
  // The range began today, or it began yesterday and hasn't ended.
  const yesterday = day === 1 ? DAYS_PER_WEEK : day - 1;
  return (isOn(day) && minute >= fromMinute) || (isOn(yesterday) && minute < toMinute);
}

const dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the day of the week, from 1 (Monday) to 7, and the minutes since midnight. */
function localTime(timeZone: string, atMs: number): { readonly day: number; readonly minute: number } {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const minute = Number(parts.get("hour")) * 60 + Number(parts.get("minute"));
  return { day: dayNames.indexOf(parts.get("weekday") ?? "") + 1, minute: minute % MINUTES_PER_DAY };
}
