import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Creates missing partitions for the days in the range, and returns those days. Days are in UTC, formatted as
 * `2026-11-15`.
 */
export async function ensureUsagePartitions(db: Database, firstDay: string, lastDay: string): Promise<string[]> {
  const { rows } = await sql<DayRow>`
    select to_char(day, 'YYYY-MM-DD') as day from ensure_usage_partitions(${firstDay}::date, ${lastDay}::date) as day`.execute(
    db,
  );
  return rows.map((row) => row.day);
}

/**
 * Closes a past day: records the totals of its events and stops accepting events for the day. `known`: the day was
 * already closed. `unequal`: its rollups differ from its rows, and nothing was written.
 */
export async function closeDay(db: Database, day: string): Promise<"sealed" | "known" | "unequal"> {
  const { rows } = await sql<{ outcome: "sealed" | "known" | "unequal" }>`
    select seal_day(${day}::date) as outcome`.execute(db);
  return (rows[0] as { outcome: "sealed" | "known" | "unequal" }).outcome;
}

/**
 * Lists the days, oldest first, that ended at least `overForDays` days ago and for which no gateway can still have
 * unsettled calls.
 */
export async function listDaysToClose(db: Database, overForDays: number): Promise<string[]> {
  const { rows } = await sql<DayRow>`
    select to_char(day, 'YYYY-MM-DD') as day from list_days_to_seal(${overForDays}) as day`.execute(db);
  return rows.map((row) => row.day);
}

/**
 * Drops the rows of days past retention, from the oldest day up to the first day that isn't closed. Returns the dropped
 * days.
 */
export async function dropClosedPartitions(db: Database, retentionDays: number): Promise<string[]> {
  const { rows } = await sql<DayRow>`
    select to_char(day, 'YYYY-MM-DD') as day from drop_sealed_partitions(${retentionDays}) as day`.execute(db);
  return rows.map((row) => row.day);
}

interface DayRow {
  readonly day: string;
}
