import { loadEnvironment, readSecretKeys } from "@tollgate/runtime/environment.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { loadServeSettings, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { startWorker } from "@tollgate/worker/start-worker.ts";
import { chooseBilling } from "../choose-billing.ts";
import { knownProviders } from "../known-providers.ts";
import { openModelCaller } from "../open-model-caller.ts";
import { readServingCertificate } from "../tls/serving-certificate.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";
import { handleSupervisorMessages } from "./handle-supervisor-messages.ts";

/**
 * Maximum time to shut down. After that, the process exits even if work is pending. Runs get ten seconds, and
 * statements take less time.
 */
const LEAVE_LIMIT_MS = 30_000;

/**
 * Runs the worker process of `tollgate serve`: settles usage events, maintains the ledger, and runs the platform's
 * background jobs.
 */
async function workerChild(): Promise<void> {
  const environment = loadEnvironment(process.env);
  const logger = createLogger("worker", environment.TOLLGATE_LOG_LEVEL);
  const files = settingsFiles(process.env);
  let settings = loadServeSettings(files, process.env, knownProviders);
  trustAuthorities(environment.TOLLGATE_CA_FILE);
  let certificate = readServingCertificate(environment);
  const secretKeys = readSecretKeys(environment);
  if (secretKeys.kind === "problem") {
    logger.warn("TOLLGATE_SECRET_KEY is not set: emails, webhooks, payment checks, and assistant runs are disabled");
  }
  const connectionString = environment.DATABASE_URL as string;
  const gatewayUrl = environment.TOLLGATE_GATEWAY_URL ?? null;
  if (gatewayUrl === null)
    logger.warn("no local gateway is running and TOLLGATE_GATEWAY_URL is not set: assistant runs are disabled");
  const models =
    secretKeys.kind === "problem" || gatewayUrl === null
      ? null
      : openModelCaller({
          settings: () => settings,
          connectionString,
          secretKeys: secretKeys.keys,
          gatewayUrl: () => gatewayUrl,
          gatewayCertificate: () => certificate?.certificate ?? null,
        });
  const worker = startWorker({
    connectionString,
    natsUrl: environment.NATS_URL ?? null,
    reclaimAfterSeconds: environment.TOLLGATE_LEASE_RECLAIM_AFTER,
    platform:
      secretKeys.kind === "problem"
        ? null
        : {
            settings: () => settings.platform,
            secretKeys: secretKeys.keys,
            payments: await chooseBilling(settings.platform),
            admission: settings.billing.admission,
          },
    assistants:
      secretKeys.kind === "problem" || models === null
        ? null
        : { settings: () => settings.assistants, secretKeys: secretKeys.keys, models },
    logger,
  });
  handleSupervisorMessages({
    stop: async (code) => {
      // Other workers take over unfinished work, so this process only has to exit in time.
      setTimeout(() => process.exit(code || 1), LEAVE_LIMIT_MS).unref();
      await worker.stop();
      await models?.close();
      process.exit(code);
    },
    reload: async () => {
      settings = loadServeSettings(files, process.env, knownProviders);
      certificate = readServingCertificate(environment);
    },
    logger,
  });
}

await workerChild();
