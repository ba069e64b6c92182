import { sql } from "kysely";
import type { Access } from "./access.ts";

/** Maximum numbers of queued runs. */
export interface QueueLimits {
  readonly perKey: number;
  readonly perOrganization: number;
}

/** The key that queues a run, and its organization. */
interface QueueOwner {
  readonly keyId: string;
  readonly organizationId: string | null;
}

export interface FullQueue {
  readonly owner: "key" | "organization";
  readonly current: number;
  readonly maximum: number;
}

/** Returns the limit that one more queued run would exceed, or null. Keys without an organization have only their own. */
export async function findFullQueue(
  { transaction }: Access,
  { keyId, organizationId }: QueueOwner,
  { perKey, perOrganization }: QueueLimits,
): Promise<FullQueue | null> {
  const { rows } = await sql<{ of_key: number; of_organization: number }>`
    select of_key, of_organization
      from count_waiting_runs(${organizationId}, ${keyId}, ${Math.max(perKey, perOrganization)})`.execute(transaction);
  const { of_key: ofKey = 0, of_organization: ofOrganization = 0 } = rows[0] ?? {};
  if (ofKey >= perKey) return { owner: "key", current: ofKey, maximum: perKey };
  if (organizationId === null || ofOrganization < perOrganization) return null;
  return { owner: "organization", current: ofOrganization, maximum: perOrganization };
}
