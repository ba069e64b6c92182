import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** How much of the limits of runs and storage a key or an organization uses. */
export interface LimitUse {
  readonly queuedRuns: number;
  readonly openStreams: number;
  readonly storedBytes: number;
}

interface AssistantUsage {
  readonly organization: LimitUse;
  readonly key: LimitUse;
  readonly hasCredit: boolean;
}

/** Reads what an organization and one of its keys use. Without a key, the key's use is zero. */
export async function readAssistantUsage(
  transaction: TenantTransaction,
  organizationId: string,
  keyId: string | null,
): Promise<AssistantUsage> {
  const { rows } = await sql<UsageRow>`
    select * from read_assistant_usage(${organizationId}, ${keyId ?? ""})`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new Error("the organization is not visible");
  return {
    organization: { queuedRuns: row.queued, openStreams: row.streams, storedBytes: Number(row.bytes) },
    key:
      keyId === null
        ? { queuedRuns: 0, openStreams: 0, storedBytes: 0 }
        : { queuedRuns: row.queued_of_key, openStreams: row.streams_of_key, storedBytes: Number(row.bytes_of_key) },
    hasCredit: row.has_credit,
  };
}

interface UsageRow {
  readonly queued_of_key: number;
  readonly queued: number;
  readonly streams_of_key: number;
  readonly streams: number;
  readonly bytes_of_key: bigint;
  readonly bytes: bigint;
  readonly has_credit: boolean;
}
