import type { RequestClass } from "@tollgate/domain/figures/request-class.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { sanitizeForPostgres } from "../sanitize-for-postgres.ts";

/** A request that ended before it had an account: refused, rejected, canceled, or failed in the gateway itself. */
export interface RefusedCall {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  readonly requestId: string;
  /** Session ID sent by the client. Absent if it sent none, or if the row stands for several requests. */
  readonly session?: string | null;
  readonly endpoint: string;
  /** Empty if the call was refused before its body was read. */
  readonly modelGroup: string;
  readonly isStream: boolean;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  /** Derived from the status if absent. */
  readonly class?: Exclude<RequestClass, "succeeded">;
  /** Number of requests of the same kind that this one stands for, including itself. One if absent. */
  readonly weight?: number;
  /** Model as the client named it, if it is not the model group. */
  readonly requestedModel?: string | null;
  /** The invalid request field. */
  readonly param?: string | null;
  /** Details of the outcome, such as the limit that was reached, its owner, and when it resets. */
  readonly facts?: Readonly<Record<string, unknown>> | null;
}

/** Records refused calls. Existing rows are not changed. */
export async function logRefusedCalls(db: Database, calls: readonly RefusedCall[]): Promise<void> {
  await sql`select log_refused_calls(${JSON.stringify(calls, sanitizeForPostgres)}::json)`.execute(db);
}

/** Encrypted request and response of a call. */
export interface CallContent {
  readonly id: string;
  readonly organizationId: string;
  readonly request: string;
  readonly answer: string;
  /** True if the request or the response was truncated. */
  readonly isCut: boolean;
}

/** Stores the contents of calls, for organizations that still have content logging enabled. */
export async function saveContents(db: Database, contents: readonly CallContent[]): Promise<void> {
  await sql`select keep_contents(${JSON.stringify(contents)}::json)`.execute(db);
}

/** Deletes refused calls older than this many days, and expired contents. Returns the number of deleted rows. */
export async function pruneReports(db: Database, keepRefusedDays: number): Promise<number> {
  let total = 0;
  for (;;) {
    const { rows } = await sql<{ removed: number }>`
      select prune_reports(make_interval(days => ${keepRefusedDays}), ${ROWS_AT_ONCE}) as removed`.execute(db);
    const removed = rows[0]?.removed ?? 0;
    if (removed === 0) return total;
    total += removed;
  }
}

const ROWS_AT_ONCE = 1_000;
