import { dayOf, startOfDay } from "../../shell/range.ts";

export interface Month {
  /** Start of the month in the time zone. */
  readonly startDate: string;
  /** Short month name, such as "Nov". */
  readonly short: string;
  /** Days so far, such as "1 to 27 Nov". */
  readonly long: string;
}

/** Returns the current month in a time zone. */
export function thisMonth(zone: string, now = new Date()): Month {
  const today = dayOf(now, zone);
  const short = now.toLocaleDateString("en-GB", { month: "short", timeZone: zone });
  return {
    startDate: startOfDay(`${today.slice(0, 7)}-01`, zone).toISOString(),
    short,
    long: `1 to ${Number(today.slice(8))} ${short}`,
  };
}
