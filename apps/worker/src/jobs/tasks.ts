import type { JobHelpers } from "graphile-worker";
import { deleteExpiredRows } from "./delete-expired-rows.ts";
import { deliverOutbox } from "./deliver-outbox.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { freeStuckJobs } from "./free-stuck-jobs.ts";
import type { JobContext } from "./job-context.ts";
import { reconcileLedger } from "./reconcile-ledger.ts";
import { reportBudgets } from "./report-budgets.ts";
import { sendMail } from "./send-mail.ts";
import { sweepPurchases } from "./sweep-purchases.ts";

/** A type of background job. Must be idempotent, because a job runs again if its worker dies. */
type Task = (context: JobContext, payload: unknown, queue: Pick<JobHelpers, "withPgClient">) => Promise<void>;

/** All tasks by name. */
export const tasks: Readonly<Record<string, Task>> = {
  send_mail: sendMail,
  deliver_outbox: deliverOutbox,
  deliver_webhook: deliverWebhook,
  report_budgets: reportBudgets,
  sweep_purchases: async (context) => {
    await sweepPurchases(context);
  },
  reconcile: reconcileLedger,
  delete_expired_rows: deleteExpiredRows,
  // The previous release queues this task under its old name.
  tidy: deleteExpiredRows, // cspell:ignore tidy
  free_stuck_jobs: freeStuckJobs,
};

/** Scheduled tasks, in UTC. The outbox is also polled, so that no event is lost if a change notification is missed. */
export const crontab = `
* * * * * free_stuck_jobs ?jobKey=free_stuck_jobs&max=1
* * * * * report_budgets ?jobKey=report_budgets&max=1
*/5 * * * * deliver_outbox ?jobKey=deliver_outbox&max=1
*/5 * * * * sweep_purchases ?jobKey=sweep_purchases&max=1
7 * * * * delete_expired_rows ?jobKey=delete_expired_rows&max=3
17 3 * * * reconcile ?jobKey=reconcile&max=3&fill=12h
`;
