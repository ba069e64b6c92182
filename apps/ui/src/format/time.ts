/** Formats a timestamp in a time zone with the given precision. */
export function formatTime(at: Date | string, form: "day" | "minute" | "second" | "millisecond", zone: string): string {
  const time = new Date(at);
  const day = { day: "numeric", month: "short", year: "numeric" } as const;
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  if (form === "day") return time.toLocaleString("en-GB", { ...day, timeZone: zone });
  const second = form === "minute" ? {} : { second: "2-digit" as const };
  const fraction = form === "millisecond" ? { fractionalSecondDigits: 3 as const } : {};
  return time.toLocaleString("en-GB", { ...day, ...clock, ...second, ...fraction, timeZone: zone });
}

/** Formats only the time of day, for lists within one day. */
export function formatClock(at: Date | string, zone: string, digits: 0 | 3 = 0): string {
  const fraction = digits === 3 ? { fractionalSecondDigits: 3 as const } : {};
  const parts = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  return new Date(at).toLocaleTimeString("en-GB", { ...parts, ...fraction, timeZone: zone });
}

/**
 * Formats a relative time: 38 s ago, 2 min ago, yesterday, in 3 days, and after a month the date in the zone. Show exact
 * times in a tooltip.
 */
export function formatRelative(at: Date | string, now = new Date(), zone = "UTC"): string {
  const seconds = Math.round((new Date(at).getTime() - now.getTime()) / 1_000);
  const size = Math.abs(seconds);
  if (size < 5) return "just now";
  const place = (text: string) => (seconds < 0 ? `${text} ago` : `in ${text}`);
  if (size < 60) return place(`${size} s`);
  if (size < 3_600) return place(`${Math.trunc(size / 60)} min`);
  if (size < 86_400) return place(`${Math.trunc(size / 3_600)} h`);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (size < 30 * 86_400) return words.format(Math.trunc(seconds / 86_400), "day");
  return formatTime(at, "day", zone);
}
