import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Gives each day of the range a place of its own, and returns the days that had none. Days are written `2026-11-15`, in UTC. */
export async function ensureUsagePartitions(db: Database, firstDay: string, lastDay: string): Promise<string[]> {
  const { rows } = await sql<DayRow>`
    select to_char(day, 'YYYY-MM-DD') as day from ensure_usage_partitions(${firstDay}::date, ${lastDay}::date) as day`.execute(
    db,
  );
  return rows.map((row) => row.day);
}

/**
 * Writes down what a past day's events sum up to; afterwards the day takes no more. `known`: it was sealed before.
 * `unequal`: its rollups say something else than its rows, and nothing was written.
 */
export async function closeDay(db: Database, day: string): Promise<"sealed" | "known" | "unequal"> {
  const { rows } = await sql<{ outcome: "sealed" | "known" | "unequal" }>`
    select seal_day(${day}::date) as outcome`.execute(db);
  return (rows[0] as { outcome: "sealed" | "known" | "unequal" }).outcome;
}

/** Days that have been over for longer than that, oldest first, of which no gateway can be expected to bring more calls. */
export async function listDaysToClose(db: Database, overForDays: number): Promise<string[]> {
  const { rows } = await sql<DayRow>`
    select to_char(day, 'YYYY-MM-DD') as day from list_days_to_seal(${overForDays}) as day`.execute(db);
  return rows.map((row) => row.day);
}

/** Drops the rows of the oldest days, as long as they are sealed and older than that, and returns the days. */
export async function dropClosedPartitions(db: Database, retentionDays: number): Promise<string[]> {
  const { rows } = await sql<DayRow>`
    select to_char(day, 'YYYY-MM-DD') as day from drop_sealed_partitions(${retentionDays}) as day`.execute(db);
  return rows.map((row) => row.day);
}

interface DayRow {
  readonly day: string;
}
