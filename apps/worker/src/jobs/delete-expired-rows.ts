import { type AccountKeeping, deleteExpiredAccountRows } from "@tollgate/db/upkeep/delete-expired-account-rows.ts";
import type { JobHelpers } from "graphile-worker";
import type { JobContext } from "./job-context.ts";

const KEEPING: AccountKeeping = {
  idempotencyHours: 24,
  endedSessionDays: 30,
  endedTokenDays: 1,
  endedInvitationDays: 90,
  reconciliationDays: 400,
};
const KEEP_FAILED_JOBS = "30 days";

/**
 * Deletes expired idempotent responses, links, sessions, and failure counts, and also old reports and permanently
 * failed jobs.
 */
export async function deleteExpiredRows(
  { patientDb, logger }: JobContext,
  _payload: unknown,
  { withPgClient }: Pick<JobHelpers, "withPgClient">,
): Promise<void> {
  const removed = await deleteExpiredAccountRows(patientDb, KEEPING);
  if (removed > 0) logger.info("deleted expired records", { count: removed });
  await withPgClient((client) =>
    client.query(
      `select graphile_worker.complete_jobs(array(
         select id from graphile_worker.jobs
          where attempts >= max_attempts and locked_at is null and updated_at < now() - $1::interval))`,
      [KEEP_FAILED_JOBS],
    ),
  );
}
