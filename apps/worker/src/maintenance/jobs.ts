import { eraseEndedOwners } from "@tollgate/db/assistants/erase-ended-owners.ts";
import { addStorageChanges, hasStorageChanges } from "@tollgate/db/assistants/storage-changes.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { expireSilentNodes, hasAbandonedLeases, reclaimLeases } from "@tollgate/db/leases/reclaim-leases.ts";
import { expireGrants } from "@tollgate/db/ledger/expire-grants.ts";
import { redrivePricedEvents } from "@tollgate/db/ledger/redrive-priced-events.ts";
import { ensureUsagePartitions } from "@tollgate/db/ledger/usage-partitions.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { applyUsageRetention } from "./apply-usage-retention.ts";
import { LedgerCheckpoints } from "./checkpoint-ledger.ts";

/** A periodic job. It is idempotent, and only one worker runs it at a time. */
export interface Job {
  readonly name: string;
  /** The lock name, if it differs from the job name. Workers of the previous release use the same lock name. */
  readonly lockName?: string;
  readonly everyMs: number;
  /** True if the job can take minutes. Such a job has its own connection, and other jobs don't wait for it. */
  readonly isLong?: boolean;
  /** Reports with one query whether the job has anything to do. Without it, the job always runs. */
  hasWork?(): Promise<boolean>;
  run(): Promise<void>;
}

interface JobOptions {
  readonly db: Database;
  /** Connection for statements that can take minutes. */
  readonly patientDb: Database;
  readonly logger: Logger;
  /** Time for which an unresponsive gateway's credit stays reserved. */
  readonly reclaimAfterMs: number;
  /** Returns the current settings of retention, checkpoints, and outbound targets. */
  readonly settings: () => PlatformSettings;
  readonly now: () => number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS_AHEAD = 7;

/** Lists the jobs that maintain the ledger, other than settling usage. */
export function listJobs({ db, patientDb, logger, reclaimAfterMs, settings, now }: JobOptions): readonly Job[] {
  const checkpoints = new LedgerCheckpoints({ db, logger, settings, now });
  return [
    {
      name: "partitions",
      everyMs: HOUR_MS,
      run: async () => {
        await ensureUsagePartitions(db, dayOf(now() - DAY_MS), dayOf(now() + DAYS_AHEAD * DAY_MS));
      },
    },
    {
      name: "leases",
      everyMs: 5 * SECOND_MS,
      hasWork: () => hasAbandonedLeases(db, reclaimAfterMs),
      run: async () => {
        const expired = await expireSilentNodes(db);
        if (expired > 0) logger.warn("leases of unresponsive gateways expired", { count: expired });
        const reclaimed = await reclaimLeases(db, reclaimAfterMs);
        if (reclaimed.length > 0)
          logger.error("reclaimed leases of unresponsive gateways", { count: reclaimed.length });
      },
    },
    {
      name: "parked events",
      everyMs: 10 * SECOND_MS,
      run: async () => {
        const settled = await redrivePricedEvents(db);
        if (settled > 0) logger.info("settled parked events whose price version is known now", { count: settled });
      },
    },
    {
      name: "stored bytes",
      everyMs: 5 * SECOND_MS,
      hasWork: () => hasStorageChanges(db),
      run: () => addStorageChanges(db),
    },
    {
      name: "grants",
      everyMs: MINUTE_MS,
      run: async () => {
        const expired = await expireGrants(db, new Date(now()));
        if (expired > 0) logger.info("expired grants", { count: expired });
      },
    },
    {
      name: "ledger checkpoints",
      everyMs: 40 * SECOND_MS, // together with the delivery, at least once per minute
      isLong: true,
      hasWork: () => checkpoints.hasChanges(),
      run: () => checkpoints.write(),
    },
    {
      name: "checkpoint delivery",
      everyMs: 10 * SECOND_MS,
      isLong: true,
      hasWork: () => checkpoints.hasDeliveries(),
      run: () => checkpoints.deliver(),
    },
    {
      name: "erasure",
      everyMs: MINUTE_MS,
      isLong: true,
      run: async () => {
        const erased = await eraseEndedOwners(patientDb);
        if (erased > 0) logger.info("deleted assistants and threads of former members", { count: erased });
      },
    },
    {
      name: "usage retention",
      lockName: "tidiness", // cspell:ignore tidiness
      everyMs: HOUR_MS,
      isLong: true,
      run: () => applyUsageRetention(patientDb, logger, settings().usage.retentionDays),
    },
  ];
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
