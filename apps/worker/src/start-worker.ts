import { connect } from "@tollgate/db/connect.ts";
import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { LogMessage, UsageConsumer, UsageConsumerOptions } from "@tollgate/event-log/usage-consumer.ts";
import { USAGE_STREAM, type UsageStreamOptions } from "@tollgate/event-log/usage-stream-options.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { defaultPlatformSettings, type PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { JOBS_AT_ONCE, JobRunner } from "./jobs/job-runner.ts";
import type { PaymentSource } from "./jobs/payment-source.ts";
import { listJobs } from "./maintenance/jobs.ts";
import { Maintenance } from "./maintenance/maintenance.ts";
import { startRuns, type WorkerAssistants } from "./runs/start-runs.ts";
import { settleMessages } from "./settle/settle-messages.ts";

interface WorkerOptions {
  readonly connectionString: string;
  /** URL of the NATS server with the usage log; null if gateways settle usage directly. */
  readonly natsUrl: string | null;
  readonly stream?: UsageStreamOptions;
  /** Time for which an unresponsive gateway's credit stays reserved. */
  readonly reclaimAfterSeconds?: number;
  /** Dependencies of the platform's background jobs. If absent, no background jobs run. */
  readonly platform?: WorkerPlatform | null;
  /** Dependencies of assistant runs. If absent, no runs are executed. */
  readonly assistants?: WorkerAssistants | null;
  readonly logger: Logger;
}

interface WorkerPlatform {
  readonly settings: () => PlatformSettings;
  /** Secret keys of this server: one key, or the new key and the old key during a rotation. */
  readonly secretKeys: readonly Secret[];
  /** Payment provider for checking open payments; null or absent if payments are disabled. */
  readonly payments?: PaymentSource | null;
  /** The admission rule, which ledger verification depends on. */
  readonly admission?: AdmissionRule;
}

export interface Worker {
  /** Stops everything but the settlement of usage. Resolves when the work in progress is committed. */
  stopJobs(): Promise<void>;
  /** Stops after the work in progress is committed and all connections are closed. */
  stop(): Promise<void>;
}

const DEFAULT_RECLAIM_AFTER_SECONDS = 15 * 60;
// One connection settles usage. The other connections are for maintenance jobs: one short and three long ones at a time,
// each of which needs a connection for its lock and more for its work.
const POOL_SIZE = 8;
// Closing a day with many millions of calls is a single statement, so it uses one connection with a long timeout.
const PATIENT_POOL_SIZE = 1;
const PATIENT_LIMIT_MS = 10 * 60_000;

/**
 * Settles usage from the log, if there is one, and maintains the ledger. The log and the database don't have to be
 * available at startup.
 */
export function startWorker(options: WorkerOptions): Worker {
  const { connectionString, natsUrl, stream = USAGE_STREAM, logger } = options;
  const reclaimAfterMs = (options.reclaimAfterSeconds ?? DEFAULT_RECLAIM_AFTER_SECONDS) * 1_000;
  const applicationName = "tollgate worker";
  const db = connect({ connectionString, role: "tollgate_worker", poolSize: POOL_SIZE, applicationName });
  const patientDb = connect({
    connectionString,
    role: "tollgate_worker",
    poolSize: PATIENT_POOL_SIZE,
    applicationName,
    statementLimitMs: PATIENT_LIMIT_MS,
  });
  const settings = () => options.platform?.settings() ?? defaultPlatformSettings;
  const jobs = listJobs({ db, patientDb, logger, reclaimAfterMs, settings, now: Date.now });
  const maintenance = new Maintenance(db, logger, jobs);
  const handle = async (messages: readonly LogMessage[]) => {
    const settled = await settleMessages(db, messages);
    if (settled.kind === "failed") {
      logger.warn("could not settle usage; will retry", { error: settled.error });
      return false;
    }
    for (const reason of settled.unreadable) logger.error(`parked an event log message: ${reason}`);
    return true;
  };
  const onTrouble = (error: unknown) => logger.warn("event log unavailable", { error });
  const consumer = natsUrl === null ? null : openConsumer({ url: natsUrl, stream, handle, onTrouble });
  const background = options.platform == null ? null : startJobs(options, options.platform);
  const runs = options.assistants == null ? null : startRuns({ ...options.assistants, connectionString, logger });
  let jobsStopped: Promise<unknown> | null = null;
  const stopJobs = async () => {
    jobsStopped ??= Promise.all([maintenance.stop(), background?.stop(), runs?.stop()]);
    await jobsStopped;
  };
  return {
    stopJobs,
    stop: async () => {
      const settling = consumer?.then((opened) => opened.stop());
      await Promise.all([settling, stopJobs()]);
      await Promise.all([db.destroy(), patientDb.destroy()]);
    },
  };
}

/** Loads the client of the log only if there is a log. */
async function openConsumer(options: UsageConsumerOptions): Promise<UsageConsumer> {
  const { UsageConsumer } = await import("@tollgate/event-log/usage-consumer.ts");
  return new UsageConsumer(options);
}

function startJobs(
  options: WorkerOptions,
  { settings, secretKeys, payments = null, admission }: WorkerPlatform,
): Pick<Worker, "stop"> {
  const { connectionString, reclaimAfterSeconds = DEFAULT_RECLAIM_AFTER_SECONDS, logger } = options;
  const shared = { connectionString, role: "tollgate_worker", applicationName: "tollgate jobs" } as const;
  const db = connect({ ...shared, poolSize: JOBS_AT_ONCE });
  const patientDb = connect({ ...shared, poolSize: PATIENT_POOL_SIZE, statementLimitMs: PATIENT_LIMIT_MS });
  const runner = new JobRunner({
    connectionString,
    context: {
      db,
      patientDb,
      settings,
      secrets: createSecretBox(secretKeys),
      payments,
      verify: { reclaimAfterSeconds, ...(admission !== undefined && { admission }) },
      logger,
      now: () => new Date(),
    },
  });
  return {
    stop: async () => {
      await runner.stop();
      await Promise.all([db.destroy(), patientDb.destroy()]);
    },
  };
}
