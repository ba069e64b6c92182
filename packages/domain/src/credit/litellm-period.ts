import { parsePeriod } from "./budget-window.ts";

const calendarPeriods: ReadonlyMap<string, string> = new Map([
  ["1d", "daily"],
  ["7d", "weekly"],
  ["1w", "weekly"],
  ["1mo", "monthly"],
]);

/** Converts a LiteLLM budget period, such as `30d` or `2w`, to a budget period. Returns null if it isn't one. */
export function fromLitellmPeriod(text: string): string | null {
  const calendar = calendarPeriods.get(text);
  if (calendar !== undefined) return calendar;
  const weeks = /^(\d+)w$/.exec(text)?.[1];
  const period = weeks === undefined ? text : `${Number(weeks) * 7}d`;
  try {
    parsePeriod(period);
    return period;
  } catch {
    return null;
  }
}
