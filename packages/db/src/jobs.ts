import { sql } from "kysely";
import type { TenantTransaction } from "./tenancy.ts";

export interface JobOptions {
  /** Not before this time. */
  readonly runAt?: Date;
  /** A job with the key of one that waits already replaces it. */
  readonly key?: string;
}

/** Leaves work for a worker. It is taken on once this transaction has committed, at least once. */
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
