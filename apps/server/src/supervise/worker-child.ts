import { createLogger } from "@tollgate/runtime/logger.ts";
import { startWorker } from "@tollgate/worker/start-worker.ts";
import { chooseBilling } from "../choose-billing.ts";
import { loadEnvironment, readSecretKeys } from "../environment.ts";
import { loadServeSettings, settingsFiles } from "../load-serve-settings.ts";
import { openModelCaller } from "../open-model-caller.ts";
import { obeySupervisor } from "./obey-supervisor.ts";

/**
 * The worker process of `tollgate serve`: settles what gateways sent, keeps the books in order, and does what the platform
 * left for later.
 */
async function workerChild(): Promise<void> {
  const environment = loadEnvironment(process.env);
  const logger = createLogger("worker", environment.TOLLGATE_LOG_LEVEL);
  const files = settingsFiles(process.env);
  let settings = loadServeSettings(files, process.env);
  const secretKeys = readSecretKeys(environment);
  if (secretKeys.kind === "problem") {
    logger.warn(
      "without TOLLGATE_SECRET_KEY no mail is sent, no webhook delivered, no payment looked after and no assistant run",
    );
  }
  const connectionString = environment.DATABASE_URL as string;
  const gatewayUrl = environment.TOLLGATE_GATEWAY_URL ?? null;
  if (gatewayUrl === null) logger.warn("no gateway runs here and TOLLGATE_GATEWAY_URL is not set: no assistant is run");
  const models =
    secretKeys.kind === "problem" || gatewayUrl === null
      ? null
      : openModelCaller({
          settings: () => settings,
          connectionString,
          secretKeys: secretKeys.keys,
          gatewayUrl: () => gatewayUrl,
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
  obeySupervisor({
    stop: async (code) => {
      await worker.stop();
      await models?.close();
      process.exit(code);
    },
    reload: async () => {
      settings = loadServeSettings(files, process.env);
    },
    logger,
  });
}

await workerChild();
