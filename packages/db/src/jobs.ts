import { sql } from "kysely";
import type { TenantTransaction } from "./tenancy.ts";

interface JobOptions {
  /** Earliest start time. */
  readonly runAt?: Date;
  /** A queued job with the same key is replaced. */
  readonly key?: string;
}

/** Enqueues a job. A worker runs it at least once, after this transaction has committed. */
export async function enqueueJob(
  transaction: TenantTransaction,
  task: string,
  payload: Readonly<Record<string, unknown>>,
  options: JobOptions = {},
): Promise<void> {
  await sql`select enqueue_job(${task}, ${JSON.stringify(payload)}::jsonb, ${options.runAt ?? null}::timestamptz, ${options.key ?? null})`.execute(
    transaction,
  );
}
