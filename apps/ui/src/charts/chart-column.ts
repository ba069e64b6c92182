/** One column of a chart, such as a day, an hour, or a round. */
export interface ChartColumn {
  readonly key: string;
  /** Label for tooltips, tables, and screen readers, such as `Fri 6 Nov`. */
  readonly long: string;
  /** Axis label, such as `6 Nov`. */
  readonly short: string;
  /** Axis label for narrow columns, such as `6`. */
  readonly tiny: string;
}

const HOUR_MS = 3_600_000;
/** Maximum number of columns. More columns would be indistinguishable, and an invalid range must not exhaust memory. */
const MAX_COLUMNS = 1_000;

/** Returns a column for each local day between two instants in a time zone; keys are `YYYY-MM-DD`. */
export function dayColumns(start: Date | string, end: Date | string, zone: string): readonly ChartColumn[] {
  const last = localDay(new Date(new Date(end).getTime() - 1), zone);
  const columns: ChartColumn[] = [];
  for (let day = localDay(new Date(start), zone); day <= last && columns.length < MAX_COLUMNS; day = dayAfter(day)) {
    columns.push(dayColumn(day));
  }
  return columns;
}

/** Returns a column for each hour between two instants; keys are the start times. */
export function hourColumns(start: Date | string, end: Date | string, zone: string): readonly ChartColumn[] {
  const columns: ChartColumn[] = [];
  const stop = new Date(end).getTime();
  let at = startOfHour(new Date(start), zone);
  for (; at < stop && columns.length < MAX_COLUMNS; at += HOUR_MS) columns.push(hourColumn(new Date(at), zone));
  return columns;
}

/** Returns the column for a local day. */
export function dayColumn(day: string): ChartColumn {
  const noon = new Date(`${day}T12:00:00Z`);
  const write = (format: Intl.DateTimeFormatOptions) =>
    noon.toLocaleDateString("en-GB", { ...format, timeZone: "UTC" }).replace(",", "");
  return {
    key: day,
    long: write({ weekday: "short", day: "numeric", month: "short" }),
    short: write({ day: "numeric", month: "short" }),
    tiny: String(noon.getUTCDate()),
  };
}

/** Returns the column for an hour or any other instant. */
export function hourColumn(at: Date, zone: string): ChartColumn {
  const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
  const day = at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: zone });
  return { key: at.toISOString(), long: `${day.replace(",", "")}, ${clock}`, short: clock, tiny: clock.slice(0, 2) };
}

/** Returns numbered columns, such as rounds: 1, 2, 3. */
export function countedColumns(count: number, name: string): readonly ChartColumn[] {
  return Array.from({ length: count }, (_, index) => {
    const text = String(index + 1);
    return { key: text, long: `${name} ${text}`, short: text, tiny: text };
  });
}

/** Returns the local date of an instant as `YYYY-MM-DD`. */
export function localDay(at: Date, zone: string): string {
  // The Swedish locale formats dates as ISO 8601.
  return at.toLocaleDateString("sv-SE", { timeZone: zone });
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** Returns the start of the local hour. Some time zones have an offset from UTC that isn't a whole number of hours. */
function startOfHour(at: Date, zone: string): number {
  const minutes = Number(at.toLocaleTimeString("en-GB", { minute: "2-digit", timeZone: zone }));
  return Math.floor(at.getTime() / 60_000) * 60_000 - minutes * 60_000;
}
