import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** The worker process that chooses a run. */
export interface RunSlots {
  readonly workerId: string;
  /** Maximum number of concurrent runs of the worker. */
  readonly slots: number;
  /** Tenant of the last chosen run; empty at first. */
  readonly served: string;
  /** Share of an organization relative to others, by organization ID; 1 if absent. */
  readonly weights: Readonly<Record<string, number>>;
}

export interface ChosenRun {
  readonly runId: string;
  /** Organization that the run is charged to, or `none`. */
  readonly tenant: string;
}

/**
 * Chooses the run that a worker starts next, and reserves one of its slots. Returns null if no run waits, or if every
 * tenant with waiting runs has its share of the slots. The share depends only on the worker's own slots, so that it can
 * change only when a run of this worker ends.
 */
export async function chooseRun(
  db: Database,
  { workerId, slots, served, weights }: RunSlots,
): Promise<ChosenRun | null> {
  const { rows } = await sql<{ run: string | null; tenant: string | null }>`
    select run, tenant from choose_run(${workerId}, ${slots}, ${served}, ${JSON.stringify(weights)}::jsonb)`.execute(
    db,
  );
  const [chosen] = rows;
  return chosen?.run == null || chosen.tenant === null ? null : { runId: chosen.run, tenant: chosen.tenant };
}
