import { deleteOldThreads } from "@tollgate/db/assistants/delete-old-threads.ts";
import { chooseRun } from "@tollgate/db/assistants/run-queue.ts";
import type { Sealer } from "@tollgate/db/assistants/sealed-record.ts";
import { hasRunsToSweep, sweepRuns } from "@tollgate/db/assistants/sweep-runs.ts";
import { connect, type Database } from "@tollgate/db/connect.ts";
import { listenToChannel } from "@tollgate/db/listen-to-channel.ts";
import { deleteExpiredResponses } from "@tollgate/db/responses/responses.ts";
import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import type { AssistantsSettings } from "@tollgate/runtime/settings/settings.ts";
import { QueueRunner } from "../jobs/queue-runner.ts";
import type { Job } from "../maintenance/jobs.ts";
import { Maintenance } from "../maintenance/maintenance.ts";
import type { ModelCaller } from "./model-caller.ts";
import type { RunContext } from "./run-context.ts";
import { RunDispatcher } from "./run-dispatcher.ts";
import { RunLeaseRenewer } from "./run-lease-renewer.ts";

export interface WorkerAssistants {
  readonly settings: () => Pick<AssistantsSettings, "slots" | "organizationWeights" | "retentionDays">;
  readonly storageLimits: () => StorageLimits;
  readonly secretKeys: readonly Secret[];
  readonly models: ModelCaller;
}

interface RunsStart extends WorkerAssistants {
  readonly connectionString: string;
  readonly logger: Logger;
  /** Called before each step with external effects, so that a test can kill the process at that point. */
  readonly onPoint?: RunContext["onPoint"];
  readonly sweepEveryMs?: number;
  /** Maximum time that a finished run waits for the ledger to contain the usage of calls without a response. */
  readonly booksLimitMs?: number;
  /** Time that active runs can continue after `stop` is called, before they are released. */
  readonly drainMs?: number;
}

// No connection is held during a model call, so a few connections serve all slots.
const POOL_SIZE = 10;
const ACQUIRE_MS = 5_000;
// Jobs only wake the dispatcher, because earlier releases start a run from its job.
const QUEUE_SLOTS = 1;
const QUEUE_POOL_SIZE = 2;
// Polling is infrequent, because notifications announce new runs.
const LOOK_EVERY_MS = 10_000;
const SWEEP_EVERY_MS = 3_000;
const DRAIN_MS = 10_000;
// A call is usually in the ledger within a second. A call that isn't in the ledger after this time was never made or
// will be added later.
const BOOKS_LIMIT_MS = 15_000;
const HOUR_MS = 3_600_000;

/** Executes assistant runs until stopped, and recovers abandoned runs. */
export function startRuns(start: RunsStart): { stop(): Promise<void> } {
  const { connectionString, settings, storageLimits, secretKeys, models, logger, onPoint = () => {} } = start;
  const db = connect({
    connectionString,
    role: "tollgate_worker",
    poolSize: POOL_SIZE,
    // Acquiring a connection can take a long time, because all slots may need one simultaneously.
    acquireLimitMs: ACQUIRE_MS,
    applicationName: "tollgate runs",
  });
  const sealer = createSecretBox(secretKeys);
  const leases = new RunLeaseRenewer(db, logger);
  const { booksLimitMs = BOOKS_LIMIT_MS } = start;
  const context: RunContext = { db, sealer, models, leases, logger, storageLimits, booksLimitMs, onPoint };
  const { slots, organizationWeights: weights } = settings();
  const workerId = crypto.randomUUID();
  const dispatcher = new RunDispatcher({
    choose: (served) => chooseRun(db, { workerId, slots, served, weights }),
    execute: (runId) => execute(context, runId),
    slots,
    lookEveryMs: LOOK_EVERY_MS,
    logger,
  });
  const wake = () => dispatcher.wake();
  const queued = listenToChannel(connectionString, "tollgate_run_queued", {
    onPayload: wake,
    onLost: (error) => logger.warn("could not listen for assistant runs; will retry", { error }),
    onReturn: wake,
  });
  const runner = new QueueRunner({
    connectionString,
    name: "assistant runs",
    tasks: { run_assistant: wake },
    crontab: "",
    slots: QUEUE_SLOTS,
    lookEveryMs: LOOK_EVERY_MS,
    poolSize: QUEUE_POOL_SIZE,
    logger,
  });
  const jobs = listJobs(db, sealer, logger, () => settings().retentionDays, start.sweepEveryMs ?? SWEEP_EVERY_MS);
  const maintenance = new Maintenance(db, logger, jobs);
  return {
    stop: async () => {
      const patience = setTimeout(() => leases.drain(), start.drainMs ?? DRAIN_MS);
      await Promise.all([dispatcher.stop(), queued.close(), runner.stop(), maintenance.stop()]);
      clearTimeout(patience);
      await leases.close();
      await db.destroy();
    },
  };
}

/** Loads the code of a run with the first run, because many servers have none. */
async function execute(context: RunContext, runId: string): Promise<void> {
  const { executeRun } = await import("./execute-run.ts");
  await executeRun(context, runId);
}

function listJobs(
  db: Database,
  sealer: Sealer,
  logger: Logger,
  retentionDays: () => number | null,
  sweepEveryMs: number,
): readonly Job[] {
  return [
    {
      name: "runs",
      everyMs: sweepEveryMs,
      hasWork: () => hasRunsToSweep(db),
      run: async () => {
        const { requeued, failed, expired, cancelled } = await sweepRuns(db, sealer);
        if (requeued + failed > 0) logger.warn("recovered runs of dead workers", { count: requeued + failed });
        if (expired + cancelled > 0) logger.info("ended expired and canceled runs", { count: expired + cancelled });
      },
    },
    {
      name: "threads",
      everyMs: HOUR_MS,
      run: async () => {
        const days = retentionDays();
        const deleted = days === null ? 0 : await deleteOldThreads(db, days);
        if (deleted > 0) logger.info("deleted inactive threads", { count: deleted });
      },
    },
    {
      name: "responses",
      everyMs: HOUR_MS,
      run: async () => {
        const deleted = await deleteExpiredResponses(db);
        if (deleted > 0) logger.info("deleted expired responses", { count: deleted });
      },
    },
  ];
}
