import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Open streams of run events of one key in one gateway process. */
export interface OpenRunStreams {
  readonly keyId: string;
  readonly organizationId: string | null;
  readonly streams: number;
}

/** Replaces the streams that a gateway process has reported. A report counts for 90 seconds. */
export async function reportRunStreams(db: Database, process: string, open: readonly OpenRunStreams[]): Promise<void> {
  await sql`select report_run_streams(${process}, ${JSON.stringify(open)}::jsonb)`.execute(db);
}
