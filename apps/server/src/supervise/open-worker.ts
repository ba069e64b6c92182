import { chooseBilling } from "@tollgate/platform/adapters/choose-billing.ts";
import { createLogger, type Logger } from "@tollgate/runtime/logger.ts";
import { releaseGarbage } from "@tollgate/runtime/release-garbage.ts";
import { startWorker } from "@tollgate/worker/start-worker.ts";
import type { OpenModelCaller } from "../open-model-caller.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";
import type { WorkerSettings, WorkerStart } from "./worker-start.ts";

export interface OpenWorker {
  readonly logger: Logger;
  reload(settings: WorkerSettings): void;
  /** Stops everything but the settlement of usage. Resolves when the work in progress is committed. */
  stopJobs(): Promise<void>;
  /** Stops after the work in progress is committed and all connections are closed. */
  stop(): Promise<void>;
}

/**
 * Starts the worker of `tollgate serve`, which settles usage events, maintains the ledger, and runs the platform's
 * background jobs. It is the same in a process and in a thread.
 */
export async function openWorker(start: WorkerStart, first: WorkerSettings): Promise<OpenWorker> {
  const { connectionString, natsUrl, reclaimAfterSeconds, gatewayUrl, secretKeys } = start;
  let settings = first;
  const logger = createLogger("worker", start.logLevel);
  trustAuthorities(start.caFile ?? undefined);
  const hasKeys = secretKeys.length > 0;
  if (!hasKeys) {
    logger.warn("TOLLGATE_SECRET_KEY is not set: emails, webhooks, payment checks, and assistant runs are disabled");
  }
  if (gatewayUrl === null)
    logger.warn("no local gateway is running and TOLLGATE_GATEWAY_URL is not set: assistant runs are disabled");
  const models =
    !hasKeys || gatewayUrl === null
      ? null
      : openOnUse(async () => {
          const { openModelCaller } = await import("../open-model-caller.ts");
          return openModelCaller({
            settings: () => settings,
            connectionString,
            secretKeys,
            gatewayUrl: () => gatewayUrl,
            gatewayCertificate: () => settings.gatewayCertificate,
          });
        });
  const worker = startWorker({
    connectionString,
    natsUrl,
    reclaimAfterSeconds,
    platform: hasKeys
      ? {
          settings: () => settings.platform,
          secretKeys,
          payments: await chooseBilling(settings.platform),
          admission: settings.admission,
        }
      : null,
    assistants:
      models === null
        ? null
        : {
            settings: () => settings.assistants,
            storageLimits: () => settings.storageLimits,
            secretKeys,
            models,
          },
    logger,
  });
  releaseGarbage();
  return {
    logger,
    reload: (next) => {
      settings = next;
    },
    stopJobs: () => worker.stopJobs(),
    stop: async () => {
      await worker.stop();
      await models?.close();
    },
  };
}

/** Opens a model caller with its first call, because many servers have no Assistants runs. */
function openOnUse(open: () => Promise<OpenModelCaller>): OpenModelCaller {
  let opened: Promise<OpenModelCaller> | null = null;
  return {
    call: async (call) => {
      opened ??= open();
      return (await opened).call(call);
    },
    close: async () => (await opened)?.close(),
  };
}
