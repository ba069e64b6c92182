import { sql, type Transaction } from "kysely";
import type { Tables } from "../../tables.generated.ts";
import type { Checkpoint } from "../checkpoints/checkpoint.ts";
import { Findings } from "./findings.ts";
import type { Difference } from "./invariant.ts";

const DAY_MS = 86_400_000;

/**
 * Finds days whose usage rows were dropped too early: with the function that drops closed days, a superuser can choose
 * which days are no longer compared with their requests.
 */
export class RetentionCheck {
  readonly findings = new Findings();
  /** Number of checkpoints that recorded the retention. */
  checked = 0;
  readonly #required = new RequiredDays();

  add(checkpoint: Checkpoint): void {
    this.#required.add(checkpoint);
    if (checkpoint.usage !== undefined) this.checked += 1;
  }

  /** `keptSince`: the first day whose rows still exist. */
  async finish(snapshot: Transaction<Tables>, keptSince: string): Promise<void> {
    const firstDay = this.#required.firstDay(await readToday(snapshot));
    if (firstDay === null) return;
    // Requests with the operator's own key are in no chain, only in the records of closed days.
    const { rows } = await sql<Pick<Difference, "organizationId" | "subject" | "found">>`
      select organization_id as "organizationId", 'requests of ' || day as subject, 'dropped: ' || found as found
      from (
        select organization_id, usage_since as day, count(*) || ' settlements' as found
        from ledger_chain
        where usage_since >= ${firstDay}::date and usage_since < ${keptSince}::date
        group by organization_id, usage_since
        union all
        select null, day, events || ' requests'
        from usage_day_seals
        where organization_id = '' and events > 0 and day >= ${firstDay}::date and day < ${keptSince}::date
      ) dropped
      order by day, organization_id nulls first`.execute(snapshot);
    for (const { organizationId, subject, found } of rows) {
      this.findings.add(subject, `kept, as each day since ${firstDay}`, found, organizationId);
    }
  }
}

/** Works out from which day on usage rows must exist, from the retention that signed checkpoints recorded. */
export class RequiredDays {
  /** Latest day that could be the first one; null if no checkpoint recorded the retention. */
  #firstDay: string | null = null;
  #retentionDays: number | null = null;
  #isRecorded = false;

  /** Adds the next checkpoint. */
  add({ at, usage }: Checkpoint): void {
    if (usage === undefined) {
      this.#isRecorded = false;
      return;
    }
    // What a release that does not record the retention dropped is accepted as it was found.
    if (!this.#isRecorded) this.#moveTo(usage.since ?? "-infinity");
    // Between two checkpoints, days may be dropped by either retention.
    const retentionDays = Math.min(usage.retentionDays, this.#retentionDays ?? usage.retentionDays);
    this.#moveTo(dayBefore(at, retentionDays));
    this.#retentionDays = usage.retentionDays;
    this.#isRecorded = true;
  }

  /** Returns the day; null if it is unknown. */
  firstDay(today: string): string | null {
    if (this.#retentionDays !== null) this.#moveTo(dayBefore(today, this.#retentionDays));
    return this.#firstDay;
  }

  #moveTo(day: string): void {
    // In this format, "-infinity" comes before every day.
    if (this.#firstDay === null || day > this.#firstDay) this.#firstDay = day;
  }
}

/** Reads the day after the snapshot was taken, so that a day that was dropped at midnight is not missing. */
async function readToday(snapshot: Transaction<Tables>): Promise<string> {
  const { rows } = await sql<{ today: string }>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD') as today`.execute(snapshot);
  return (rows[0] as { today: string }).today;
}

function dayBefore(at: string, days: number): string {
  return new Date(Date.parse(at) - days * DAY_MS).toISOString().slice(0, 10);
}
