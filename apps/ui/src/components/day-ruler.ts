const DAY_MS = 86_400_000;

export interface DayTick {
  readonly share: number;
  readonly isMajor: boolean;
  /** Only on major ticks. */
  readonly label: string | null;
}

/** A ruler of so many days from now on: a tick a day, a date at every fifth, named as the zone names its days. */
export function dayRuler(now: Date, days: number, zone: string, majorEvery = 5): readonly DayTick[] {
  return Array.from({ length: days + 1 }, (_, day) => {
    const isMajor = day % majorEvery === 0;
    const label = day === 0 ? "Today" : shortDay(new Date(now.getTime() + day * DAY_MS), zone);
    return { share: day / days, isMajor, label: isMajor ? label : null };
  });
}

/** 17 Nov, in a zone. */
export function shortDay(at: Date | string, zone: string): string {
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: zone });
}

/** 24 Nov, 11:00: an expected moment, as exact as an estimate may be. */
export function shortTimestamp(at: Date | string, zone: string): string {
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone } as const;
  return `${shortDay(at, zone)}, ${new Date(at).toLocaleTimeString("en-GB", clock)}`;
}
