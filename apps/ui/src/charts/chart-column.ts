/** One column of a chart: a day, an hour, a round. */
export interface ChartColumn {
  readonly key: string;
  /** For tooltips, tables and readers: Fri 6 Nov. */
  readonly long: string;
  /** Under the axis: 6 Nov. */
  readonly short: string;
  /** Under the axis where there is no room: 6. */
  readonly tiny: string;
}

const HOUR_MS = 3_600_000;
/** More columns than these could not be seen apart, and a wrong range must not fill the memory. */
const MAX_COLUMNS = 1_000;

/** The days from one moment up to another, as the zone counts them; keys are `YYYY-MM-DD`. */
export function dayColumns(start: Date | string, end: Date | string, zone: string): readonly ChartColumn[] {
  const last = localDay(new Date(new Date(end).getTime() - 1), zone);
  const columns: ChartColumn[] = [];
  for (let day = localDay(new Date(start), zone); day <= last && columns.length < MAX_COLUMNS; day = dayAfter(day)) {
    columns.push(dayColumn(day));
  }
  return columns;
}

/** The hours from one moment up to another; keys are the instants they begin at. */
export function hourColumns(start: Date | string, end: Date | string, zone: string): readonly ChartColumn[] {
  const columns: ChartColumn[] = [];
  const stop = new Date(end).getTime();
  let at = startOfHour(new Date(start), zone);
  for (; at < stop && columns.length < MAX_COLUMNS; at += HOUR_MS) columns.push(hourColumn(new Date(at), zone));
  return columns;
}

/** The column of a local day. */
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

/** The column of an hour, or of any other moment. */
export function hourColumn(at: Date, zone: string): ChartColumn {
  const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
  const day = at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: zone });
  return { key: at.toISOString(), long: `${day.replace(",", "")}, ${clock}`, short: clock, tiny: clock.slice(0, 2) };
}

/** Columns that are just counted, such as rounds: 1, 2, 3. */
export function countedColumns(count: number, name: string): readonly ChartColumn[] {
  return Array.from({ length: count }, (_, index) => {
    const text = String(index + 1);
    return { key: text, long: `${name} ${text}`, short: text, tiny: text };
  });
}

/** `YYYY-MM-DD` of a moment in a zone. */
export function localDay(at: Date, zone: string): string {
  // Sweden writes dates as the standard does.
  return at.toLocaleDateString("sv-SE", { timeZone: zone });
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** Where the zone's hour begins: not every zone is a whole number of hours away from UTC. */
function startOfHour(at: Date, zone: string): number {
  const minutes = Number(at.toLocaleTimeString("en-GB", { minute: "2-digit", timeZone: zone }));
  return Math.floor(at.getTime() / 60_000) * 60_000 - minutes * 60_000;
}
