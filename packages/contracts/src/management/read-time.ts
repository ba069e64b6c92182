import { invalidField } from "./failure.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const DAY_MS = 86_400_000;

/** Parses a timestamp in a request: RFC 3339, or a date, which means the start of that day in UTC. */
export function readTime(field: string, text: string): Date {
  const time = new Date(text);
  const isReal = (TIME.test(text) || DATE.test(text)) && !Number.isNaN(time.getTime()) && isCalendarDay(text);
  if (!isReal) throw invalidField(field, "must be a time such as 2026-11-14T10:00:00Z or a date such as 2026-11-14");
  return time;
}

/** Parses the time range of a list: `from` is inclusive, `until` exclusive. An end date includes that whole day. */
export function readTimeRange({
  startDate,
  endDate,
}: {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}): { readonly from: Date | null; readonly until: Date | null } {
  const from = startDate === undefined ? null : readTime("startDate", startDate);
  const end = endDate === undefined ? null : readTime("endDate", endDate);
  const isWholeDay = DATE.test(endDate ?? "");
  const until = end !== null && isWholeDay ? new Date(end.getTime() + DAY_MS) : end;
  if (from !== null && until !== null && (from > until || (isWholeDay && from >= until))) {
    throw invalidField("startDate", "must not be after endDate");
  }
  return { from, until };
}

/** Rejects days such as February 30, which the runtime parses as a day in March. */
function isCalendarDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
