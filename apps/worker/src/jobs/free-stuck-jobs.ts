import type { JobHelpers } from "graphile-worker";
import type { JobContext } from "./job-context.ts";

// No job can take this long, except ledger verification and assistant runs.
const STUCK_AFTER = "5 minutes";
const LONG_STUCK_AFTER = "30 minutes";

/** Requeues the jobs of dead workers. The queue itself would requeue them only after four hours. */
export async function freeStuckJobs(
  { logger }: JobContext,
  _payload: unknown,
  { withPgClient }: Pick<JobHelpers, "withPgClient">,
): Promise<void> {
  const { rows } = await withPgClient((client) =>
    client.query<{ worker: string }>(
      `select distinct locked_by as worker from graphile_worker.jobs
        where locked_at < now() - case when task_identifier in ('reconcile', 'run_assistant') then $1::interval else $2::interval end`,
      [LONG_STUCK_AFTER, STUCK_AFTER],
    ),
  );
  if (rows.length === 0) return;
  logger.warn("requeued jobs of dead workers", { count: rows.length });
  await withPgClient((client) =>
    client.query("select graphile_worker.force_unlock_workers($1)", [rows.map(({ worker }) => worker)]),
  );
}
