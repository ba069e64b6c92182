const DAY_MS = 86_400_000;

interface DayTick {
  readonly share: number;
  readonly isMajor: boolean;
  /** Date label of a major tick; null for other ticks. */
  readonly label: string | null;
}

/** Returns a ruler over the next days: one tick per day, with a date in the given zone on every major tick. */
export function dayRuler(now: Date, days: number, zone: string, majorEvery = 5): readonly DayTick[] {
  return Array.from({ length: days + 1 }, (_, day) => {
    const isMajor = day % majorEvery === 0;
    const label = day === 0 ? "Today" : shortDay(new Date(now.getTime() + day * DAY_MS), zone);
    return { share: day / days, isMajor, label: isMajor ? label : null };
  });
}

/** Formats a local date, such as `17 Nov`. */
export function shortDay(at: Date | string, zone: string): string {
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: zone });
}

/** Formats a local date and time, such as `24 Nov, 11:00`. */
export function shortTimestamp(at: Date | string, zone: string): string {
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone } as const;
  return `${shortDay(at, zone)}, ${new Date(at).toLocaleTimeString("en-GB", clock)}`;
}
